# wall: network
# what: Fetches a page over HTTP, as a snippet that wants to look something up does.
def fetch():
    import urllib.request
    return urllib.request.urlopen("http://127.0.0.1:%d/" % TCP, timeout=0.2).read()


attempt("fetch a page", fetch)
