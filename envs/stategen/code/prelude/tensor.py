# The module torch, as far as the tools and what a condition asks of a tensor need it. The numbers of a tensor are the
# service's: here are its shape, its type, its sum, and how many of its elements lie above their mean.


class Scalar(float):
    """A tensor of one number."""

    shape = ()

    def item(self):
        return float(self)

    def sum(self):
        return self


def scalar(name):
    method = getattr(float, name)

    def compute(self, *others):
        number = method(self, *others)
        return number if number is NotImplemented else Scalar(number)

    return compute


for name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "neg", "abs"):
    setattr(Scalar, "__%s__" % name, scalar("__%s__" % name))


class Mean(Scalar):
    """The mean of a tensor, which alone it can be compared with."""

    of = None


class Count(int):
    def item(self):
        return int(self)


class Above:
    """Which elements lie above the mean."""

    def __init__(self, count):
        self.count = count

    def sum(self):
        return Count(self.count)


class Size(tuple):
    def numel(self):
        product = 1
        for size in self:
            product *= size
        return product


class dtype:
    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return str(other) in (str(self), self.name) if isinstance(other, (dtype, str)) else NotImplemented

    def __hash__(self):
        return hash(str(self))

    def __repr__(self):
        return "torch." + self.name

    def handle(self):
        return str(self)


class Tensor:
    def __init__(self, known, channel_function):
        self._known, self._function = known, channel_function

    def handle(self):
        return self._known["tensor"]

    def __str__(self):
        return self._known["tensor"]

    __repr__ = __str__

    @property
    def shape(self):
        return Size(self._known["shape"])

    @property
    def dtype(self):
        return dtype(self._known["dtype"])

    @property
    def ndim(self):
        return len(self._known["shape"])

    def dim(self):
        return self.ndim

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def numel(self):
        return self.shape.numel()

    def sum(self):
        return Scalar(self._known["sum"])

    def mean(self):
        mean = Mean(self._known["sum"] / max(1, self.numel()))
        mean.of = self
        return mean

    def item(self):
        if self.numel() != 1:
            raise RuntimeError("a Tensor with %d elements cannot be converted to Scalar" % self.numel())
        return float(self._known["sum"])

    def __gt__(self, other):
        if getattr(other, "of", None) is not self:
            raise NotImplementedError("a tensor can be compared with its own mean alone")
        return Above(self._known["above_mean"])

    def permute(self, *dims):
        return self._function("permute")(self, dims[0] if len(dims) == 1 else dims)

    def transpose(self, dim0, dim1):
        return self._function("transpose")(self, dim0, dim1)

    def split(self, split_size, dim=0):
        return self._function("split")(self, split_size, dim)


class Functions:
    """The functions of torch: a name that is none of its own is an API, there or not."""

    def __init__(self, channel, data):
        self.channel, self.apis, self.unchanged = channel, data["apis"], data["unchanged"]

    def __call__(self, name):
        if name.startswith("__"):
            raise AttributeError("module 'torch' has no attribute %r" % name)
        own = getattr(self, "own_" + name, None)
        if own is not None and name in self.unchanged:
            return own
        return self.channel.function(name, self.apis.get(name, ()))

    def own_split(self, tensor=None, split_size_or_sections=None, dim=0, input=None):
        return self.channel.call("split", {
            "input": input if tensor is None else tensor, "split_size_or_sections": split_size_or_sections, "dim": dim})

    def own_cat(self, tensors, dim=0):
        return self.channel.call("cat", {"tensors": tensors, "dim": dim})

    def own_conv2d(self, input, weight, bias=None, stride=1, padding=0, dilation=1):
        args = {"input": input, "weight": weight, "stride": stride, "padding": padding, "dilation": dilation}
        return self.channel.call("conv2d", args if bias is None else dict(args, bias=bias))

    def own_linear(self, input, weight, bias=None):
        args = {"input": input, "weight": weight}
        return self.channel.call("linear", args if bias is None else dict(args, bias=bias))


for own in ("split", "cat", "conv2d", "linear"):  # as errors name them
    getattr(Functions, "own_" + own).__qualname__ = "torch." + own


def reduction(name):
    def reduce(input):
        return getattr(input, name)()

    reduce.__qualname__ = "torch." + name
    return reduce


functions = None


def value(thing):
    if isinstance(thing, dict):
        if "tensor" in thing:
            return Tensor(thing, functions)
        return {key: value(member) for key, member in thing.items()}
    if isinstance(thing, list):
        return [value(item) for item in thing]
    return thing


def preload(channel, data):
    global functions
    functions = Functions(channel, data)
    torch, nn, functional = (type(sys)(name) for name in ("torch", "torch.nn", "torch.nn.functional"))
    for module in (torch, nn, functional):
        module.__path__ = []
        module.__getattr__ = functions
        sys.modules[module.__name__] = module
    torch.nn, nn.functional = nn, functional
    torch.Tensor, torch.Size, torch.dtype = Tensor, Size, dtype
    for name in ("float16", "float32", "float64", "bfloat16", "int32", "int64", "bool"):
        setattr(torch, name, dtype(name))
    torch.sum, torch.mean = reduction("sum"), reduction("mean")
    names = dict(torch=torch, nn=nn, F=functional)
    names.update((name, value(thing)) for name, thing in data["variables"].items())
    return names
