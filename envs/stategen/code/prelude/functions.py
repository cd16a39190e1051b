# The tools of a domain as functions.


class Record(dict):
    """An object whose members are attributes, too. One that a tool made is passed by its handle."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def handle(self):
        return self["speech"] if "speech" in self else {key: plain(member) for key, member in self.items()}

    def __str__(self):
        return self["speech"] if "speech" in self else dict.__repr__(self)


def value(thing):
    if isinstance(thing, dict):
        return Record((key, value(member)) for key, member in thing.items())
    if isinstance(thing, list):
        return [value(item) for item in thing]
    return thing


def preload(channel, data):
    names = {name: channel.function(name, parameters) for name, parameters in data["apis"].items()}
    names.update((name, value(thing)) for name, thing in data["variables"].items())
    return names
