#!/usr/bin/env python3
"""Crawls sites and prints what is there: an opinion about pages and links that shares no code with ours.

    reference_crawler.py HOSTS.tsv SEED...

HOSTS.tsv has a line `address<TAB>host` for each host; only those are asked, one request after the other, as fast as they
answer: it is for servers on this machine. Only the standard library of Python is used. Prints a JSON object a line:

    {"url": …, "links": [[target, in_navigation], …], "canonical": …}    a page, with its links in their order
    {"url": …, "redirect": target}
"""

import http.client
import json
import re
import sys
import urllib.parse
from html.parser import HTMLParser

VOID = set("area base br col embed frame hr img input link meta param source track wbr".split())
PARTS = {"article", "aside", "main", "nav", "section"}
NAVIGATION_ROLES = set("navigation banner contentinfo complementary menu menubar doc-toc doc-index doc-pagelist".split())
PART_ROLES = {"article", "main", "region"}
FALLBACKS = {"noscript", "noframes", "noembed"}
# Elements whose role is looked at: those that browsers end together with what is open in them.
BLOCKS = PARTS | set("blockquote center details dialog div dl fieldset figure footer header menu ol search table ul".split())


class Page(HTMLParser):
    """The links of a page, and the elements around each."""

    # Newer versions of Python read these as text.
    CDATA_CONTENT_ELEMENTS = ("script", "style")

    def __init__(self, url):
        super().__init__()
        self.url, self.base, self.base_is_set = url, url, False
        self.links, self.canonical = [], None
        self.open = []  # pairs of an element's name and what it is to the page

    def handle_starttag(self, name, attributes):
        values = {}
        for key, value in attributes:
            values.setdefault(key, value or "")
        around = {element for element, _ in self.open}
        # It runs no scripts and shows no frames either: what is said to such readers is said to it.
        if "template" not in around:
            self.see(name, values, bool(around & FALLBACKS))
        if name not in VOID:
            self.open.append((name, self.meaning(name, values.get("role", ""))))

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)

    def handle_endtag(self, name):
        if any(around == name for around, _ in self.open):
            while self.open.pop()[0] != name:
                pass

    def see(self, name, values, in_fallback):
        if in_fallback and name in ("base", "link"):
            return
        if name == "base" and "href" in values and not self.base_is_set:
            self.base, self.base_is_set = urllib.parse.urljoin(self.url, values["href"].strip()), True
        if name == "link" and "canonical" in values.get("rel", "").lower().split() and not self.canonical:
            self.canonical = self.resolve(values.get("href"))
        address = {"a": "href", "area": "href", "iframe": "src", "frame": "src"}.get(name)
        target = self.resolve(values.get(address))
        if target:
            self.links.append([target, any(meaning == "navigation" for _, meaning in self.open)])

    def meaning(self, name, role):
        if name not in BLOCKS:
            return None
        for word in role.lower().split():
            if word in NAVIGATION_ROLES:
                return "navigation"
            if word in PART_ROLES:
                return "part"
        is_of_page = not any(meaning for _, meaning in self.open)
        if name == "nav" or name in ("header", "footer", "aside") and is_of_page:
            return "navigation"
        return "part" if name in PARTS else None

    def resolve(self, reference):
        if reference is None:
            return None
        reference = re.sub(r"[\t\n\r]", "", reference.strip("\x00\x20\t\n\r\f"))
        try:
            return normal(urllib.parse.urljoin(self.base, reference))
        except ValueError:
            return None


def normal(url):
    """Scheme and host in lower case, no fragment, a path, and nothing but ASCII."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    port = "" if parts.port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{parts.port}"
    quoted = [urllib.parse.quote(part, safe="/%:=&?~#+!$,;'@()*[]|^\\{}`") for part in (parts.path or "/", parts.query)]
    query = "?" + quoted[1] if "?" in url.split("#")[0] else ""
    return f"{parts.scheme}://{parts.hostname}{port}{quoted[0]}{query}"


def charset(content_type, body):
    found = re.search(rb"charset=[\"' ]*([A-Za-z0-9_-]+)", content_type.encode() + b" " + body[:2048])
    return found.group(1).decode() if found else "utf-8"


class Sites:
    def __init__(self, hosts):
        with open(hosts) as lines:
            self.address = {host: address for address, host in (line.split() for line in lines)}
        self.connections = {}

    def has(self, url):
        return urllib.parse.urlsplit(url).hostname in self.address

    def get(self, url):
        parts = urllib.parse.urlsplit(url)
        connection = self.connections.setdefault(
            parts.netloc, http.client.HTTPConnection(self.address[parts.hostname], parts.port or 80, timeout=30)
        )
        path = parts.path + ("?" + parts.query if parts.query else "")
        connection.request("GET", path, headers={"Host": parts.netloc, "Accept-Encoding": "identity"})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def main():
    sites, waiting = Sites(sys.argv[1]), sys.argv[2:]
    seen = set(waiting)
    while waiting:
        url = waiting.pop()
        status, headers, body = sites.get(url)
        found = []
        if status in (301, 302, 303, 307, 308):
            target = normal(urllib.parse.urljoin(url, headers["Location"]))
            print(json.dumps({"url": url, "redirect": target}))
            found.append(target)
        elif status == 200:
            page, content_type = Page(url), headers.get("Content-Type", "")
            if "html" in content_type:
                if headers.get("Content-Encoding") == "gzip":
                    import gzip

                    body = gzip.decompress(body)
                page.feed(body.decode(charset(content_type, body), "replace"))
                page.close()
            print(json.dumps({"url": url, "links": page.links, "canonical": page.canonical}))
            found.extend(target for target, _ in page.links)
        for target in found:
            if target and target not in seen and sites.has(target):
                seen.add(target)
                waiting.append(target)


main()
