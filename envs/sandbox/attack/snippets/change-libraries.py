# wall: other calls
# what: Changes what libraries keep below Python: locale, time zone, decimals, random numbers, numpy's settings.
# short
import decimal
import locale
import random
import time

decimal.getcontext().prec = 3
decimal.setcontext(decimal.Context(prec=2))
decimal.DefaultContext.prec = 2
random.seed(99)
random.random = lambda: 0.5
os.environ["TZ"] = "Asia/Tokyo"
for change in (lambda: time.tzset(), lambda: locale.setlocale(locale.LC_ALL, ""), lambda: locale.setlocale(locale.LC_NUMERIC, "C.UTF-8")):
    try:
        change()
    except (AttributeError, locale.Error) as e:
        denied(error(e))
denied("nothing seen by the next program")
