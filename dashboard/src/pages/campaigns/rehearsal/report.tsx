import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { CampaignRehearsal } from '../../../../../contract/dashboard/rehearsals.ts';
import { number, utc } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import classes from '../campaigns.module.css';
import { useRecipientReason } from '../recipient-state.tsx';
import { Hours } from './hours.tsx';
import { saveRows } from './save-rows.ts';
import { Rows } from './rows.tsx';
import type { Source } from './use-rehearsal.ts';
import { texts } from './texts.ts';

type Props = { report: CampaignRehearsal; source: Source; name: string };

export function Report({ report, source, name }: Props): ReactNode {
  const say = useTexts(texts);
  if (report.recipients === 0)
    return (
      <div className={classes.section}>
        <Card title={say('report')}>
          <Text size="sm">{say(source === 'waiting' ? 'no_waiting' : 'no_people')}</Text>
        </Card>
      </div>
    );
  return (
    <div className={classes.section}>
      <Card
        title={say('report')}
        aside={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={15} />}
            onClick={() => saveRows(report.rows, `${name}.csv`)}
          >
            {say('download')}
          </Button>
        }
      >
        <Stack gap="lg">
          <Sums report={report} />
          <Hours hours={report.by_hour} />
          <Rows rows={report.rows} />
        </Stack>
      </Card>
    </div>
  );
}

const moment = (at: string): ReactNode => <span className="ltr">{utc(at)}</span>;

function Sums({ report }: { report: CampaignRehearsal }): ReactNode {
  const say = useTexts(texts);
  const inWords = useRecipientReason();
  const many = (value: number): string => number(say.language, value);
  const { sent, recipients, first_at: first, last_at: last, ends_at: ends, empty, stopped } = report;
  return (
    <Stack gap={6}>
      <Text fw={600} data-goes>
        {say('goes', { count: sent, number: many(sent), total: many(recipients) })}
      </Text>
      {first && last ? (
        <Text size="sm">{say.rich('when', { first: moment(first), last: moment(last) })}</Text>
      ) : (
        <Text size="sm">{say('nothing')}</Text>
      )}
      {ends && ends !== last && <Text size="sm">{say.rich('ends', { at: moment(ends) })}</Text>}
      {report.left_out.map(({ status, reason, count }) => (
        <Text key={`${status} ${reason}`} size="sm">
          {say('left', { number: many(count), why: reason ? inWords(reason) : say(`status_${status}`) })}
        </Text>
      ))}
      {report.replies.map(({ text, count, opts_out: optsOut }) => (
        <Text key={text} size="sm">
          {say('reply', { text: `\u2068${text}\u2069`, number: many(count) })}
          {optsOut && ` (${say('opts_out')})`}
        </Text>
      ))}
      {report.reminders > 0 && (
        <Text size="sm">
          {say('reminders', { number: many(report.reminders), count: report.reminded, people: many(report.reminded) })}
        </Text>
      )}
      {empty.count > 0 && (
        <Text size="sm">
          {say('empty', { count: empty.count, number: many(empty.count) })}{' '}
          <code className="ltr">{empty.names.map((one) => `{{${one}}}`).join(' ')}</code>
        </Text>
      )}
      {(stopped || report.has_more) && (
        <Alert color="orange" mt="xs">
          {stopped ? say(`stopped_${stopped}`) : say('has_more', { number: many(recipients) })}
        </Alert>
      )}
    </Stack>
  );
}
