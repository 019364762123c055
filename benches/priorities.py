#!/usr/bin/env python3
"""What each `--priority` buys: the share of all PageRank, and of the pages on a topic, that a fifth of the pages has.

    benches/priorities.py CRIVELLO lab SEED TOPIC          the lab's web: 12 hosts, 3000 pages
    benches/priorities.py CRIVELLO FOLDER TOPIC            a folder of HTML, served on loopback, from its index.html

A whole crawl says which pages there are, which rank each has and which have a word of the topic in their title. Then each
priority is given a fifth of the pages. It prints a row of a table for each. Requests go to 127.0.0.0/8 only.
"""

import atexit
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

# Links are known a tenth of a second after their page: a crawl without rests is ahead of what it knows.
DELAY = "20ms"
PRIORITIES = ["breadth", "rank", "short", "offsite", "keywords", "topic", "topic,rank", "rank,short"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass


def serve(folder, dir):
    """The folder under a name of its own: manuals link to ports of 127.0.0.1, where others may listen."""
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hosts = pathlib.Path(dir) / "hosts.tsv"
    hosts.write_text("127.0.0.1\tmanual.test\n", encoding="utf8")
    return [f"http://manual.test:{server.server_address[1]}/index.html"], ["--resolve", str(hosts)]


def serve_lab(crivello, seed, dir):
    """The fake web, in a process that ends with this one; its seeds and what a crawl has to be told."""
    web = ["--seed", seed, "--hosts", "12", "--pages", "3000", "--slow-hosts", "0"]
    hosts = pathlib.Path(dir) / "hosts.tsv"
    port = str(20_000 + os.getpid() % 10_000)
    server = subprocess.Popen([crivello, "lab", "serve", *web, "--port", port, "--hosts-file", str(hosts), "-q"], stdout=subprocess.DEVNULL)
    atexit.register(server.terminate)
    while not hosts.exists():
        time.sleep(0.05)
    truth = json.loads(run(crivello, "lab", "truth", *web, "--port", port, "--json"))
    return truth["seeds"], ["--resolve", str(hosts), "--scope", "all"]


def run(*command):
    output = subprocess.run(command, capture_output=True, text=True, check=False)
    if output.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}\n{output.stderr}")
    return output.stdout


def pages_of(crivello, collection):
    lines = run(crivello, "export", collection, "pages").splitlines()
    return [json.loads(line) for line in lines]


def main():
    crivello, where, *rest = sys.argv[1:]
    topic = rest[-1]
    with tempfile.TemporaryDirectory() as dir:
        seeds, options = serve_lab(crivello, rest[0], dir) if where == "lab" else serve(where, dir)

        def crawl(name, *more):
            collection = f"{dir}/{name}.crivello"
            run(crivello, "crawl", collection, *seeds, *options, "--allow-net", "127.0.0.0/8", "--delay", DELAY, "--workers", "1", "-q", *more)
            return collection
        whole = crawl("whole")
        run(crivello, "graph", whole, "-q")
        ranks = {}
        for line in run(crivello, "export", whole, "ranks").splitlines():
            fields = line.split("\t")
            try:
                ranks[fields[0]] = float(fields[1])
            except ValueError:
                continue
        words = topic.lower().split()
        is_on = lambda page: any(word in (page["title"] or "").lower() for word in words)
        pages = pages_of(crivello, whole)
        on_topic = {page["url"] for page in pages if is_on(page)}
        total, fifth = sum(ranks.values()), len(pages) // 5
        best = sum(sorted(ranks.values(), reverse=True)[:fifth]) / total
        name = pathlib.Path(where).parent.name if where != "lab" else f"lab, seed {rest[0]}"
        print(f"{name}: {len(pages)} pages, {len(on_topic)} with `{topic}` in their titles; a fifth is {fifth}", flush=True)
        print(f"| {'who knows all':14} | {best:.3f} | {min(1, fifth / max(1, len(on_topic))):.3f} |")
        for priority in PRIORITIES:
            collection = crawl(priority.replace(",", "-"), "--priority", priority, "--topic", topic, "--max-pages", str(fifth))
            urls = [page["url"] for page in pages_of(crivello, collection)]
            bought = sum(ranks.get(url, 0) for url in urls) / total
            found = len(on_topic.intersection(urls)) / max(1, len(on_topic))
            print(f"| {priority:14} | {bought:.3f} | {found:.3f} |", flush=True)


main()
