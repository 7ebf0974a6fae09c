import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../../../../api/queries.ts';
import { useTexts } from '../../../../language/texts.tsx';
import { Card } from '../../../../parts/card.tsx';
import { Moment } from '../../../../parts/moment.tsx';
import { ProblemAlert } from '../../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../../session/session.ts';
import { texts, type KeyWord } from '../../../../parts/api-keys/texts.ts';
import classes from './key-usage.module.css';

const SHOWN = 20;
const KNOWN = ['created', 'renamed', 'rotated', 'revoked', 'networks_shortened', 'limits_lowered'];

const inWords = (fact: unknown): string | null => {
  if (Array.isArray(fact)) return fact.join(', ');
  if (typeof fact !== 'object' || fact === null) return typeof fact === 'string' ? fact : null;
  // The limits of a key have their names on the wire.
  const parts = Object.entries(fact).map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? '–' : parts.join(', ');
};

const namelessActor = (actor: string): KeyWord => {
  if (actor === 'leak_report') return 'leak_report';
  return actor.startsWith('user_') ? 'gone_person' : 'by_parley';
};

/** Shows the audit records of this key, with person, action, time, and the address for admins. */
export function KeyHistory({ keyId }: { keyId: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const audit = useRead('listAudit', { params: { org_id }, query: { subject_id: keyId, limit: SHOWN } }, {});
  return (
    <div className={classes.section}>
      <Card title={say('history')}>
        {audit.isPending ? (
          <Skeleton h={60} />
        ) : !audit.data ? (
          <ProblemAlert problem={audit.error} onRetry={() => void audit.refetch()} />
        ) : audit.data.data.length === 0 ? (
          <Text size="sm" c="dimmed">
            {say('history_empty')}
          </Text>
        ) : (
          <ul className={classes.history}>
            {audit.data.data.map(({ id, action, actor, actor_name, address, facts, created_at }) => {
              const verb = action.split('.').at(-1)!;
              return (
                <li key={id}>
                  <b>{KNOWN.includes(verb) ? say(`audit_${verb}` as KeyWord) : action}</b>
                  {'to' in facts && (
                    <span>
                      <bdi>{inWords(facts['from']) ?? say('networks_everywhere')}</bdi> →{' '}
                      <bdi>{inWords(facts['to'])}</bdi>
                    </span>
                  )}
                  <span>
                    {say.rich('by', {
                      who: <bdi>{actor_name ?? say(namelessActor(actor))}</bdi>,
                    })}
                  </span>
                  {address && (
                    <span className={classes.historyFacts}>
                      {say.rich('audit_from', { address: <code>{address}</code> })}
                    </span>
                  )}
                  <span className={classes.historyFacts}>
                    <Moment at={created_at} />
                  </span>
                </li>
              );
            })}
          </ul>
        )}
      </Card>
    </div>
  );
}
