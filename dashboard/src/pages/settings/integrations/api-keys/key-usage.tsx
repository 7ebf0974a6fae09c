import { Badge, Code, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyUsage } from '../../../../../../contract/dashboard/keys.ts';
import { useRead } from '../../../../api/queries.ts';
import { clock, number, utcDay } from '../../../../language/format.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { DataList } from '../../../../list/data-list.tsx';
import { Card } from '../../../../parts/card.tsx';
import { Moment } from '../../../../parts/moment.tsx';
import { ProblemAlert } from '../../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../../session/session.ts';
import type { UsageRange } from './search.ts';
import { texts } from '../../../../parts/api-keys/texts.ts';
import classes from './key-usage.module.css';

const LOOK_AGAIN_MS = 5_000;
const OUTCOMES = ['accepted', 'refused', 'failed'] as const;

/** Shows the usage of the key as bars with numbers, then the newest requests. */
export function KeyUsageCards({ keyId, range }: { keyId: string; range: UsageRange }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const usage = useRead(
    'readKeyUsage',
    { params: { org_id, key_id: keyId }, query: { range } },
    { every: LOOK_AGAIN_MS, live: 'requests', keep: true },
  );
  if (usage.isPending) return <Skeleton h={240} radius="lg" />;
  if (!usage.data) return <ProblemAlert problem={usage.error} onRetry={() => void usage.refetch()} />;
  return (
    <>
      <Card title={say('requests')}>
        <Bars buckets={usage.data.buckets} range={range} />
      </Card>
      <LastRequests requests={usage.data.requests} />
    </>
  );
}

function Bars({ buckets, range }: { buckets: KeyUsage['buckets']; range: UsageRange }): ReactNode {
  const say = useTexts(texts);
  const sums = { accepted: 0, refused: 0, failed: 0 };
  for (const bucket of buckets) for (const outcome of OUTCOMES) sums[outcome] += bucket[outcome];
  const total = sums.accepted + sums.refused + sums.failed;
  const highest = Math.max(1, ...buckets.map(({ accepted, refused, failed }) => accepted + refused + failed));
  const moment = (at: string): string => (range === '24h' ? clock(say.language, at) : utcDay(say.language, at));
  const count = (value: number): string => number(say.language, value);
  if (total === 0)
    return (
      <Text c="dimmed" size="sm">
        {say('no_requests')}
      </Text>
    );
  return (
    <div className={classes.usage}>
      <figure className={classes.figure}>
        <div
          className={classes.bars}
          role="img"
          aria-label={say('chart', {
            accepted: count(sums.accepted),
            refused: count(sums.refused),
            failed: count(sums.failed),
          })}
        >
          {buckets.map((bucket) => (
            <div
              key={bucket.at}
              className={classes.bar}
              title={`${moment(bucket.at)}: ${OUTCOMES.map((name) => `${say(name)} ${count(bucket[name])}`).join(', ')}`}
            >
              {OUTCOMES.toReversed().map((outcome) => (
                <span
                  key={outcome}
                  data-outcome={outcome}
                  style={{ blockSize: `${(bucket[outcome] / highest) * 100}%` }}
                />
              ))}
            </div>
          ))}
        </div>
        <figcaption className={classes.axis}>
          <span>{moment(buckets[0]!.at)}</span>
          <span>{moment(buckets.at(-1)!.at)}</span>
        </figcaption>
      </figure>
      <table className={classes.sums}>
        <tbody>
          {OUTCOMES.map((outcome) => (
            <tr key={outcome}>
              <th scope="row">
                <i data-outcome={outcome} aria-hidden="true" />
                {say(outcome)} <small>{say(`${outcome}_hint`)}</small>
              </th>
              <td>{count(sums[outcome])}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{say('total')}</th>
            <td>{count(total)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function LastRequests({ requests }: { requests: KeyUsage['requests'] }): ReactNode {
  const say = useTexts(texts);
  return (
    <section className={classes.section} aria-label={say('last_requests')}>
      <h2 className={classes.heading}>{say('last_requests')}</h2>
      <Text size="sm" c="dimmed" mb="sm">
        {requests.length === 0 ? say('no_last_requests') : say('last_requests_hint')}
      </Text>
      {requests.length > 0 && (
        <DataList
          label={say('last_requests')}
          // The read of the numbers also contains this list.
          read={{ data: { data: requests }, isPending: false, isPlaceholderData: false } as never}
          keyOf={(request: KeyUsage['requests'][number]) => request.request_id}
          empty={null}
          columns={[
            {
              id: 'request',
              label: say('request'),
              cell: ({ method, route }) => (
                <code className={classes.route}>
                  <b>{method}</b> {route}
                </code>
              ),
            },
            {
              id: 'status',
              label: say('status'),
              cell: ({ status }) => (
                <Badge color={status < 400 ? 'gray' : status < 500 ? 'orange' : 'red'}>{status}</Badge>
              ),
            },
            {
              id: 'problem',
              label: say('problem'),
              cell: ({ code }) =>
                code ? (
                  <a href={`/docs/problems/${code}`} target="_blank" rel="noreferrer">
                    <code>{code}</code>
                  </a>
                ) : (
                  '—'
                ),
            },
            { id: 'time', label: say('time'), cell: ({ at }) => <Moment at={at} /> },
            { id: 'id', label: say('request_id'), cell: ({ request_id }) => <Code fz="xs">{request_id}</Code> },
          ]}
        />
      )}
    </section>
  );
}
