import type { Role } from '../app/app.ts';
import type { Config } from '../config/config.ts';
import { countEverything } from '../store/installation/counts.ts';
import type { Db } from '../store/db.ts';
import { readPausedAt } from '../store/installation/pause.ts';
import type { Prepared } from './prepare-start.ts';
import { forgetQuickstartKey, keepQuickstartKey, quickstartFile } from './quickstart-key.ts';

type Greeting = {
  config: Config;
  db: Db;
  role: Role;
  address: { host: string; port: number } | null;
  prepared: Prepared;
};

/**
 * A new process and its database may be busy. A process that already serves does not stop if the database cannot be
 * read now.
 */
const NOT_READ = 'The database does not answer at the moment: run ./parley doctor.';

/**
 * Writes the text for the operator after the start, with the address and, on the first start, one call to paste. The
 * greeting is never written to the log.
 */
export async function greet({ config, db, role, address, prepared }: Greeting): Promise<void> {
  const lines: string[] = ['', ...(await pauseLines(db).catch(() => [NOT_READ, '']))];
  if (address === null) {
    lines.push(
      `Parley is running (role ${role}, region ${config.region}). This process does not listen on an address.`,
      '',
    );
    process.stdout.write(lines.join('\n'));
    return;
  }
  const { baseUrl } = config;
  lines.push(`Parley is ready at ${baseUrl} (region ${config.region}).`, '');
  if (prepared.setupUrl !== null) {
    lines.push(
      'Create the first owner of this installation (the link works once, for 30 minutes):',
      `  ${prepared.setupUrl}`,
      '',
    );
  } else {
    lines.push('Dashboard:', `  ${baseUrl}/`, '');
  }
  lines.push('API reference, also available offline:', `  ${baseUrl}/docs`, '');
  if (prepared.demo === null) lines.push(await counts(db).catch(() => NOT_READ), '');
  else {
    lines.push('Talk to the demo agent in a browser:', `  ${baseUrl}/chat/${prepared.demo.chatId}`, '');
    lines.push(
      'To start a first conversation, paste this command. The key in this command works for one day.',
      '',
      await curl(config, prepared.demo),
      '',
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  await forgetQuickstartKey(config.dataDir);
}

async function pauseLines(db: Db): Promise<string[]> {
  const since = await readPausedAt(db);
  if (since === null) return [];
  return [
    `This installation is paused since ${since.toISOString()}: it sends nothing. To resume, run:`,
    '  ./parley resume',
    '',
  ];
}

/** Without a terminal, the output may be stored, so the example call reads the key from a file. */
async function curl({ baseUrl, dataDir }: Config, demo: NonNullable<Prepared['demo']>): Promise<string> {
  if (process.stdout.isTTY) return callWith(baseUrl, demo, demo.keyValue);
  await keepQuickstartKey(dataDir, demo.keyValue);
  const file = quickstartFile(dataDir).replaceAll("'", String.raw`'\''`);
  return callWith(baseUrl, demo, `$(cat '${file}')`);
}

const callWith = (
  baseUrl: string,
  demo: NonNullable<Prepared['demo']>,
  key: string,
) => `curl -s ${baseUrl}/api/triggers/${demo.agentId}/${demo.triggerId} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -H "Prefer: wait=20" \\
  -d '{"message":"How much does delivery cost?","variables":{"order_id":"A-1043"}}'`;

async function counts(db: Db): Promise<string> {
  const { organizations, agents, keys, conversations, runs } = await countEverything(db);
  const words = [
    [organizations, 'organization'],
    [agents, 'agent'],
    [keys, 'active API key'],
    [conversations, 'conversation'],
    [runs, 'run'],
  ] as const;
  return `Here are ${words.map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`).join(', ')}.`;
}
