import { expect, test, vi } from 'vitest';
import { buildProgram } from './program.ts';
import { answer, stage, type Seen } from './testing/run-cli.ts';

/** An escape sequence that sets the title of the terminal, and a mark that reverses the reading direction. */
const ATTACK = '\u001b]0;title\u0007\u202e';

const side = { said: [`Hello ${ATTACK}`], cites: [`Guide ${ATTACK}`], calls: [], next: 'waiting_for_user' };
const turn = { input: [`Hi ${ATTACK}`], recorded: side, replayed: side, changed: ['said'], cause: 'version' };
const places = { count: 1, names: [`name${ATTACK}`] };
const review = {
  waiting: 1,
  goes: { count: 1, first_at: null, last_at: null },
  left_out: [],
  empty: places,
  refused: { count: 1, reasons: [ATTACK] },
  faults: [],
};
const BODIES: [RegExp, unknown][] = [
  [/replay/, { conversation_id: 'conv_1', turns: [turn] }],
  [/\/review/, review],
  [/preview/, { header: ['external_id', `x${ATTACK}`], columns: ['external_id', null], delimiter: ',' }],
  [/end-user-imports/, { id: 'import_1', state: 'done', invalid: 0 }],
];
const bodyOf = ({ url }: Seen): unknown => BODIES.find(([path]) => path.test(url))![1];

test.each([
  ['agents replay', ['agents', 'replay', 'agent_1', '--conversation', 'conv_1'], 'person  Hi'],
  ['campaigns review', ['campaigns', 'review', 'campaign_1'], 'name'],
  ['end-users import', ['end-users', 'import', '--file', 'package.json'], 'Ignored columns: x'],
])('%s prints text of strangers without control codes on a terminal', async (_, args, shown) => {
  await using server = await stage((seen, reply) => answer(reply, 200, bodyOf(seen)));
  vi.stubEnv('PARLEY_TOKEN', 'token');
  const written: string[] = [];
  const streams = [process.stdout, process.stderr];
  const before = streams.map(({ isTTY }) => isTTY);
  try {
    for (const stream of streams) {
      stream.isTTY = true;
      vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    }
    await buildProgram().parseAsync([...args, '--url', server.url, '--org', 'org_1'], { from: 'user' });
  } finally {
    vi.restoreAllMocks();
    streams.forEach((stream, at) => (stream.isTTY = before[at]!));
  }
  expect(written.join('')).toContain(shown);
  for (const code of ['\u001b]', '\u0007', '\u202e']) expect(written.join('')).not.toContain(code);
});
