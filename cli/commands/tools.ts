import { type Command, Option } from 'commander';
import { ROTATION_OVERLAPS } from '../../contract/dashboard/keys.ts';
import type { ToolSecretRecord } from '../../contract/dashboard/tools.ts';
import { Failure } from '../failure.ts';
import { parseJsonObject, readSecret } from '../read-input.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { confirm } from '../prompt.ts';
import { examples, setAction } from '../command-action.ts';

const ONCE = 'Copy the secret now: the secret is not shown again.';

export function addToolsCommand(program: Command): void {
  const tools = program
    .command('tools')
    .summary('secrets that sign the calls of tools')
    .description(
      'Signing secrets and credentials of the tools of an agent. Each secret belongs to one tool at one origin.',
    );
  addSign(tools);
  addRotate(tools);
  addCredentials(tools);
  addMcp(tools);

  const list = listing(tools.command('list').description('Lists the signed tools of an agent.').argument('<agent-id>'));
  setAction<ListOptions>(list, async ({ api, out }, [agent], want) =>
    out.list(
      await api.list('listToolSecrets', want, { ids: { agent_id: agent! } }),
      [field('id'), field('tool'), field('origin'), time('updated_at')],
      'No tool of this agent is signed. See ./parley tools sign --help',
    ),
  );

  const remove = tools
    .command('remove')
    .description('Removes the secret and the credentials of a tool. Calls to the origin are no longer signed.')
    .argument('<agent-id>')
    .argument('<secret-id>')
    .option('--yes', 'do not ask');
  setAction<{ yes?: boolean }>(remove, async ({ api, out }, [agent, id], { yes }) => {
    await confirm(yes, `Calls will not be signed with ${id} any more.`);
    await api.call('deleteToolSecret', { ids: idsOf(agent, id) });
    out.record({ id, deleted: true });
  });
}

function addSign(tools: Command): void {
  const sign = tools
    .command('sign')
    .description(
      'Creates the secret that signs the calls of a tool. A secret is valid for the scheme, host and port of the URL.',
    )
    .argument('<agent-id>')
    .requiredOption('--tool <name>', 'name of the tool; mcp:NAME for an MCP server')
    .requiredOption('--tool-url <url>', 'URL of the tool');
  setAction<{ tool: string; toolUrl: string }>(sign, async ({ api, out }, [agent], { tool, toolUrl: url }) => {
    out.record(await api.call('createToolSecret', { ids: { agent_id: agent! }, body: { tool, url } }));
    out.hint(ONCE);
  });
  examples(sign, 'tools sign agent_01jd… --tool order_status --tool-url https://shop.example/tools');
}

function addRotate(tools: Command): void {
  const rotate = tools
    .command('rotate')
    .description('Replaces the secret of a tool. During the overlap, calls are signed with both secrets.')
    .argument('<agent-id>')
    .argument('<secret-id>')
    .addOption(
      new Option('--overlap <time>', 'the time for which the old secret still signs')
        .choices(ROTATION_OVERLAPS)
        .default('24h'),
    );
  setAction<{ overlap: (typeof ROTATION_OVERLAPS)[number] }>(rotate, async ({ api, out }, [agent, id], { overlap }) => {
    out.record(await api.call('rotateToolSecret', { ids: idsOf(agent, id), body: { overlap } }));
    out.hint(ONCE);
  });
  examples(rotate, 'tools rotate agent_01jd… tsec_01jd… --overlap 1h');
}

function addCredentials(tools: Command): void {
  const set = tools
    .command('credentials')
    .description(
      'Replaces the credentials of a tool with JSON from standard input: {"bearer":"…"}, {"basic":{"username":"…","password":"…"}}, {"headers":[{"name":"…","value":"…"}]}. {} removes them.',
    )
    .argument('<agent-id>')
    .argument('<secret-id>');
  setAction(set, async ({ api, out }, [agent, id]) => {
    const body = parseJsonObject(await readSecret('credentials'), 'Standard input');
    out.record((await api.call('setToolCredentials', { ids: idsOf(agent, id), body })) satisfies ToolSecretRecord);
  });
  examples(set, 'tools credentials agent_01jd… tsec_01jd… < credentials.json');
}

function addMcp(tools: Command): void {
  const mcp = tools
    .command('mcp')
    .description('Lists the tools of an MCP server, each with the hash that approves it. --json shows their schemas.')
    .argument('<agent-id>')
    .requiredOption('--server <name>', 'your name of the server; its secret is that of the tool mcp:NAME')
    .requiredOption('--server-url <url>', 'URL of the server');
  setAction<{ server: string; serverUrl: string }>(mcp, async ({ api, out }, [agent], { server, serverUrl: url }) => {
    const {
      tools: data,
      error,
      more,
    } = await api.call('listMcpTools', {
      ids: { agent_id: agent! },
      body: { server, url },
    });
    if (error !== null) throw new Failure('mcp_server_failed', error);
    out.list({ data, next_cursor: null }, [field('name'), field('pin'), field('fault')], 'The server offers no tools.');
    if (more > 0) out.hint(`${more} further tools are not shown.`);
  });
  examples(mcp, 'tools mcp agent_01jd… --server shop --server-url https://shop.example/mcp');
}

const idsOf = (agent: string | undefined, id: string | undefined) => ({ agent_id: agent!, tool_secret_id: id! });
