"""Works with a memory by the client that openapi-python-client made.

usage: scenario.py URL TOKEN, with the client as the package "client" beside it
"""
import sys

from client import AuthenticatedClient
from client.api.context import context_list, context_patch, context_put, context_read, routine_read
from client.api.core import read, recall, write
from client.api.more import find
from client.models import (
    ContextChange, ContextListing, ContextPage, ContextText, ContextWritten, FindAnswer,
    Problem, ReadAnswer, RecallAnswer, RoutineAnswer, WriteBody, Written,
)

url, token = sys.argv[1:]
notes = AuthenticatedClient(base_url=url, token=token, headers={"Cairn-Space": "notes"})
vault = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True,
                            headers={"Cairn-Space": "vault", "Accept": "application/json"})


def the(kind, answer):
    assert isinstance(answer, kind), answer
    return answer


for name in ("ada", "byron"):
    body = WriteBody(text=f"{name} lived in London.", title=name.title(), tags=["people"])
    written = the(Written, write.sync(f"people/{name}", client=notes, body=body))
    assert written.pages[0].ref == f"notes:people/{name}", written
print("write")

page = read.sync_detailed("people/ada", client=notes)
assert "London" in the(ReadAnswer, page.parsed).text
tag = page.headers["ETag"]
assert read.sync_detailed("people/ada", client=notes, if_none_match=tag).status_code == 304
print("read")

refused = write.sync("people/ada", client=notes, body=WriteBody(text="x", expected_version=7))
assert the(Problem, refused).code == "conflict", refused
print("stale write refused")

assert the(RecallAnswer, recall.sync(client=notes, query="London")).total == 2
seen, offset = [], 0
while True:
    part = the(FindAnswer, find.sync(client=notes, query="London", limit=1, offset=offset))
    seen += [hit.ref for hit in part.items]
    if not part.next_:
        break
    offset = int(part.next_)
assert sorted(seen) == ["notes:people/ada", "notes:people/byron"], seen
print("search")

made = the(ContextWritten, context_put.sync("state/scratch/loom", client=vault, body=ContextText(text="# Loom\n")))
assert made.change == "created", made
refused = context_put.sync("journal/agent", client=vault, body=ContextText(text="# Mine\n"))
assert the(Problem, refused).code == "conflict", refused  # an agent appends here only
added = the(ContextWritten, context_patch.sync("journal/agent", client=vault, body=ContextChange(text="- 09:00 Called Ada.")))
got = context_read.sync_detailed("journal/agent", client=vault)
assert "Called Ada" in the(ContextPage, got.parsed).text and got.parsed.version == added.version
again = context_read.sync_detailed("journal/agent", client=vault, if_none_match=got.headers["ETag"])
assert again.status_code == 304, again
listing = the(ContextListing, context_list.sync(client=vault, limit=1))
assert len(listing.items) == 1 and listing.next_ == "1" and listing.total > 1, listing
the(RoutineAnswer, routine_read.sync(client=vault, all_=True))
print("context")
