// Works with a memory by openapi-fetch, with the types that openapi-typescript made. The
// compiler checks what is sent and what is read.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const [url, token] = process.argv.slice(2) as [string, string];
const client = (space: string) =>
  createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${token}`, "Cairn-Space": space, Accept: "application/json" },
  });
const notes = client("notes");
const vault = client("vault");

function check(ok: unknown, about: unknown): asserts ok {
  if (!ok) throw new Error(JSON.stringify(about));
}

for (const name of ["ada", "byron"]) {
  const body = { text: `${name} lived in London.`, tags: ["people"] };
  const { data, error } = await notes.PUT("/api/v1/pages/{ref}", { params: { path: { ref: `people/${name}` } }, body });
  check(data?.pages[0]?.ref === `notes:people/${name}`, error);
}
console.log("write");

const path = { ref: "people/ada" };
const page = await notes.GET("/api/v1/pages/{ref}", { params: { path } });
check(page.data?.text?.includes("London"), page.error);
const tag = page.response.headers.get("ETag");
check(tag, "no ETag");
const same = await notes.GET("/api/v1/pages/{ref}", { params: { path, header: { "If-None-Match": tag } } });
check(same.response.status === 304, same.response.status);
console.log("read");

const stale = await notes.PUT("/api/v1/pages/{ref}", { params: { path }, body: { text: "x", expected_version: 7 } });
const problem: components["schemas"]["Problem"] | undefined = stale.error;
check(problem?.code === "conflict", problem);
console.log("stale write refused");

const recalled = await notes.GET("/api/v1/recall", { params: { query: { query: "London" } } });
check(recalled.data?.total === 2, recalled.error);
const seen: string[] = [];
for (let offset: number | undefined = 0; offset !== undefined; ) {
  const part: { data?: components["schemas"]["FindAnswer"] } = await notes.GET("/api/v1/search", {
    params: { query: { query: "London", limit: 1, offset } },
  });
  check(part.data, offset);
  seen.push(...part.data.items.map((hit) => hit.ref));
  offset = part.data.next ? Number(part.data.next) : undefined;
}
check(seen.sort().join() === "notes:people/ada,notes:people/byron", seen);
console.log("search");

const journal = { path: { path: "journal/agent" } };
const added = await vault.PATCH("/api/context/{path}", { params: journal, body: { text: "- 09:00 Called Ada." } });
const got = await vault.GET("/api/context/{path}", { params: journal });
check(got.data && typeof got.data === "object" && "text" in got.data, got.error);
check(got.data.text.includes("Called Ada") && got.data.version === added.data?.version, added.error);
const listing = await vault.GET("/api/context", { params: { query: { limit: 1 } } });
check(listing.data?.items.length === 1 && listing.data.next === "1" && listing.data.total > 1, listing);
const routines = await vault.GET("/api/v1/routine", { params: { query: { all: true } } });
check(routines.data?.routines, routines.error);
console.log("context");
