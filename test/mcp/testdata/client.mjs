// A client of the TypeScript SDK: node client.mjs URL TOKEN, or node client.mjs COMMAND ARGUMENT…
// It writes one line of JSON about each step.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [first, ...rest] = process.argv.slice(2);
const tell = (step, value) => console.log(JSON.stringify({ step, value }));
const transport = first.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } } })
  : new StdioClientTransport({ command: first, args: rest });
const client = new Client({ name: "typescript", version: "1" }, { capabilities: { elicitation: { form: {} } } });
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  tell("elicit", request.params.message);
  const fields = Object.keys(request.params.requestedSchema.properties);
  return { action: "accept", content: Object.fromEntries(fields.map((name) => [name, "approve"])) };
});
await client.connect(transport);

const { tools } = await client.listTools();
tell("tools", tools.map((t) => t.name));
const run = (args, options) => client.callTool({ name: "run_program", arguments: args }, undefined, options);
tell("value", (await run({ program: "(reduce + data/xs)", input: { xs: [1, 2, 3] } })).structuredContent);
tell("error", (await run({ program: "(inc nil)" })).structuredContent);
tell("approved", (await run({ program: `(tool/fs.write {:path "${process.env.OUT}" :text "written"})` })).structuredContent);
let progress = 0;
await run({ program: "(count (psettle #(do (tool/env.get {:name \"HOME\"}) %) (range 200)))" }, { onprogress: () => progress++ })
  .then((r) => tell("many", r.structuredContent.value ?? r.structuredContent));
const controller = new AbortController();
setTimeout(() => controller.abort(), 200);
await run({ program: "(loop [] (recur))" }, { signal: controller.signal })
  .then(() => tell("cancelled", false), () => tell("cancelled", true));
tell("after", (await run({ program: "(+ 1 1)" })).structuredContent.value);
const large = await run({ program: "(vec (range 20000))" });
const link = large.content.find((c) => c.type === "resource_link");
const page = await client.readResource({ uri: link.uri });
tell("page", [link.size, page.contents[0].text.length]);
const prompt = await client.getPrompt({ name: "write_program", arguments: { task: "count the orders" } });
tell("prompt", prompt.messages[0].content.text.includes("count the orders"));
const completion = await client.complete({
  ref: { type: "ref/resource", uri: "ptc://doc/{+name}" }, argument: { name: "name", value: "group-b" } });
tell("completion", completion.completion.values);
await client.close();
