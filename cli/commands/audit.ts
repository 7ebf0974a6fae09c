import { type Command, Option } from 'commander';
import { AUDIT_FORMATS, type AuditFormat } from '../../contract/dashboard/activity.ts';
import { Failure } from '../failure.ts';
import { field, listing, type ListOptions, time } from '../listing.ts';
import { toFile } from '../write-file.ts';
import { examples, setAction } from '../command-action.ts';

type Filter = { actor?: string; subject?: string; since?: string; until?: string };

export function addAuditCommand(program: Command): void {
  const audit = program
    .command('audit')
    .summary('actions with their person, time and address')
    .description('The audit log: actions with their person, time and address.');

  const list = filtered(listing(audit.command('list').description('Lists the entries, newest first.')));
  setAction<ListOptions & Filter>(list, async ({ api, out }, _args, { actor, subject, since, until, ...want }) =>
    out.list(
      await api.list('listAudit', want, { query: queryOf({ actor, subject, since, until }) }),
      [time('created_at', 'When'), field('action'), field('subject_id'), field('actor_name', 'Who'), field('address')],
      'Nothing has been recorded.',
    ),
  );

  const take = filtered(
    audit
      .command('export')
      .description(
        'Exports the log, newest first. Only owners and admins may export the log. Each export is recorded in the log.',
      )
      .addOption(new Option('--format <format>', 'CSV, or JSON Lines').choices(AUDIT_FORMATS).default('csv'))
      .option('--file <file>', 'a new file (default: standard output)'),
  );
  setAction<Filter & { format: AuditFormat; file?: string }>(
    take,
    async ({ api, out }, _args, { format, file, ...filter }) => {
      const query = { ...queryOf(filter), format };
      await toFile(file, (write) => api.download('exportAudit', { query }, write));
      if (file !== undefined) out.hint(`Written to ${file}.`);
    },
  );
  examples(
    take,
    'audit export --since 2026-11-01 --file audit.csv',
    'audit export --format jsonl | jq -c \'select(.action | startswith("api_key."))\'',
  );
}

const filtered = (command: Command): Command =>
  command
    .option('--since <time>', 'from this time: 2026-11-01, or 2026-11-01T08:00:00Z')
    .option('--until <time>', 'before this time')
    .option('--actor <user-id>', 'only actions of this person')
    .option('--subject <id>', 'only actions on this id, such as key_…');

const queryOf = ({ actor, subject, since, until }: Filter) => ({
  actor,
  subject_id: subject,
  since: moment('--since', since),
  until: moment('--until', until),
});

/** A date without a time means the start of that day in UTC. */
function moment(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new Failure('usage_invalid', `${flag}: "${text}" is no time such as 2026-11-01 or 2026-11-01T08:00:00Z.`);
}
