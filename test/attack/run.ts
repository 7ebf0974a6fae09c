import { readOptions } from '../../cluster/read-options.ts';
import { attack } from './attack.ts';

const USAGE = `Usage: npm run attack -- [--seed S] [--minutes M]

Starts a server with a database of its own, plants secrets in it, and sends it definitions, documents, files, templates,
patterns, bodies and headers by chance, as a stranger, with keys, and as people of every role. It ends at the first
finding: a status 500, a secret in an answer or a line of the log, health that is not answered, too much memory, an error
in the log, a changed row of a foreign organization, or the end of the program. Then it prints the seed and the request,
and exits with 1. Without --seed chance chooses one, and says which; without --minutes it takes one.`;

const { values } = readOptions(
  {
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  },
  USAGE,
);
const minutes = Number(values.minutes);
if (values.help || !(minutes > 0)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
console.log(`Attacking for ${minutes} minutes with --seed ${seed}…`);
const { finding, requests, statuses } = await attack({ seed, ms: minutes * 60_000 });
console.log(`${requests} requests; answers by status: ${JSON.stringify(statuses)}`);
if (finding === null) console.log('Nothing was found.');
else console.log(`FOUND with --seed ${seed}: ${finding.what}\n${finding.request ?? ''}`);
process.exit(finding === null ? 0 : 1);
