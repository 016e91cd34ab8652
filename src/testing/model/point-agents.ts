/** Shell lines that point the agents at a scripted model, one an agent. */
export function pointAgents(url: string): string[] {
  const openai = `${url}/v1`;
  const provider = `{ name = "Scripted", base_url = "${openai}", wire_api = "responses", env_key = "SCRIPTED_KEY" }`;
  const models = { scripted: { name: "Scripted", tool_call: true, limit: { context: 200_000, output: 32_000 } } };
  const options = { baseURL: openai, apiKey: "none" };
  const config = {
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    provider: { scripted: { npm: "@ai-sdk/openai-compatible", name: "Scripted", options, models } },
  };
  return [
    `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=none claude`,
    `SCRIPTED_KEY=none codex -m gpt-5.5 -c model_provider=scripted -c 'model_providers.scripted=${provider}'`,
    `OPENCODE_CONFIG_CONTENT='${JSON.stringify(config)}' opencode`,
  ];
}
