import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from './program.ts';

// No server listens at this address, so a command that calls the server fails differently.
const DEAD = 'http://127.0.0.1:9';

const run = (args: string[]): Promise<unknown> =>
  buildProgram().parseAsync(['--json', '--url', DEAD, ...args], { from: 'user' });

describe('finds a mistake in typing before it sends a request', () => {
  test.each([
    [['keys', 'creat'], /Did you mean create\?/],
    [['keys', 'list', '--stat', 'all'], /Did you mean --state\?/],
    [['keys', 'create', '--label', 'x', '--scope', 'world'], /organization, agent, campaign/],
    [['keys', 'create', '--label', 'x', '--scope', 'agent', '--permissions', 'triggers'], /--agent ID/],
    [['serve', '--role', 'king'], /all, api, worker/],
    [['agents', 'show'], /agent-id/],
    [['agents', 'update', 'a'], /Nothing to change/],
    [['triggers', 'list', '--limit', '0'], /whole number from 1/],
    [['trigger', 'a', 't', '--variables', '[1]'], /JSON object/],
    [['trigger', 'a', 't', '--variables', '{"a"'], /not JSON/],
    [['trigger', 'a', 't', '--on-existing', 'new'], /needs --key/],
    [['trigger', 'a', 't', '--end-user', '{}', '--external-id', 'x'], /either --end-user/],
    [['send', 'a', 'c', '--text', 'x'], /exactly one of --to-conversation/],
    [
      ['client-tokens', 'create', '--agent', 'a', '--trigger', 't', '--origins', 'https://x.example'],
      /exactly one of --external-id/,
    ],
    [['send', 'a', 'c', '--to-address', 'x'], /exactly one of --text/],
    [['chat', '--agent', 'a'], /needs a terminal/],
    [
      ['models', 'set', '--provider', 'openai'],
      /--key-stdin, --base-url, --embedding-model, --transcription-model and --question-model/,
    ],
    [['campaigns', 'repeat', 'c', '--days', 'mon,someday'], /mon, tue, wed/],
    [['campaigns', 'repeat', 'c', '--days', 'monkey'], /mon, tue, wed/],
    [['campaigns', 'repeat', 'c', '--days', 'mon', '--month-day', '1'], /either --days or --month-day/],
    [['campaigns', 'repeat', 'c', '--month-day', '32'], /from 1 to 31/],
    [['campaigns', 'repeat', 'c', '--stop', '--at', '10:00'], /--stop alone/],
    [['webhooks', 'update', 'whk_1'], /Nothing to change/],
    [['members', 'role', 'member_1', 'king'], /owner, admin, member, viewer/],
    [['conversations', 'reply', 'conv_1'], /either --text or --file/],
    [['agents', 'test', 'a', '--version', '2', '--definition', 'x'], /either --version or --definition/],
    [['knowledge', 'add', '--agent', 'a', '--file', '/nonexistent'], /cannot be read \(ENOENT\)/],
  ])('%j', async (args, message) => {
    await expect(run(args)).rejects.toThrow(message);
  });

  test.each([
    ['ftp://x', /must be a URL/],
    ['nonsense', /must be a URL/],
    ['http://u:p@x', /not contain a user, password/],
  ])('refuses the server address %s', async (url, message) => {
    await expect(buildProgram().parseAsync(['whoami', '--url', url], { from: 'user' })).rejects.toThrow(message);
  });
});

test.each([
  [['agents', 'delete', 'agent_1']],
  [['keys', 'revoke', 'key_1']],
  [['keys', 'rotate', 'key_1', '--overlap', 'now']],
  [['triggers', 'delete', 'trigger_1']],
  [['channels', 'disconnect', 'channel_1']],
  [['campaigns', 'end', 'campaign_1']],
  [['campaigns', 'delete', 'campaign_1']],
  [['knowledge', 'remove', 'doc_1', '--agent', 'agent_1']],
  [['models', 'remove', 'openai']],
  [['tools', 'remove', 'agent_1', 'tsec_1']],
  [['orgs', 'sign-in', 'remove']],
  [['orgs', 'domains', 'remove', 'example.com']],
  [['restore', 'backup.gz']],
  [['webhooks', 'delete', 'whk_1']],
  [['webhooks', 'rotate', 'whk_1', '--overlap', 'now']],
  [['members', 'remove', 'member_1']],
  [['invitations', 'withdraw', 'inv_1']],
])('%j deletes nothing without --yes if there is no terminal', async (args) => {
  await expect(run(args)).rejects.toMatchObject({ code: 'confirmation_required' });
});

describe('the help', () => {
  const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)];

  test('each command has a description', () => {
    for (const command of everyCommand(buildProgram())) {
      expect([command.name(), command.description().length > 10]).toEqual([command.name(), true]);
    }
  });

  test('the documentation page has each command and option', () => {
    const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8');
    const pathOf = (command: Command): string =>
      command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
    const leaves = everyCommand(buildProgram()).filter((command) => command.commands.length === 0);
    const missing = leaves.flatMap((command) => {
      const entry = page.split('\n**`').find((part) => new RegExp(`^${pathOf(command)}[ \`]`).test(part)) ?? '';
      return command.options.filter(({ flags }) => !entry.includes(`- \`${flags}\``)).map(({ flags }) => flags);
    });
    expect(missing).toEqual([]);
  });

  test('no command has an option with the name of a global option, which would receive its value', () => {
    const [program, ...below] = everyCommand(buildProgram());
    const own = new Set(program!.options.map(({ long }) => long));
    const twins = below.flatMap((command) =>
      command.options.filter(({ long }) => own.has(long)).map(({ flags }) => flags),
    );
    expect(twins).toEqual([]);
  });

  test('every command of the contract exists', () => {
    const names = buildProgram().commands.map((command) => command.name());
    const promised =
      'serve migrate doctor backup restore login whoami orgs agents triggers channels campaigns keys trigger send';
    expect(names).toEqual(expect.arrayContaining(promised.split(' ')));
    expect(names).toEqual(expect.arrayContaining(['knowledge', 'models', 'conversations', 'chat']));
  });
});
