import { Badge, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { KindName } from '../../parts/channels/kind-name.tsx';
import { isKnownKind, KINDS } from '../../parts/channels/kinds.ts';
import { kindNames } from '../../parts/channels/kind-names.ts';
import { texts } from './texts.ts';
import classes from './end-users.module.css';

/** The card shows the person's consent for each kind of channel, and a form for consent that was given elsewhere. */
export function ConsentCard({ item }: { item: EndUserRecord }): ReactNode {
  const say = useTexts(texts);
  const may = useMay('member');
  const entries = Object.entries(item.consent);
  return (
    <Card title={say('consent')} description={say('consent_hint')} footer={may && <SetConsent item={item} />}>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say('consent_empty')}
        </Text>
      ) : (
        <dl className={classes.pairs}>
          {entries.map(([kind, value]) => {
            const { status, source, at } = readConsent(value);
            return (
              <div key={kind}>
                <dt>
                  <KindName kind={kind} />
                </dt>
                <dd>
                  <Group gap={8}>
                    {status === 'opted_in' || status === 'opted_out' ? (
                      <Badge color={status === 'opted_in' ? 'blue' : 'orange'}>{say(status)}</Badge>
                    ) : (
                      <code>{JSON.stringify(value)}</code>
                    )}
                    {source && <bdi>{source}</bdi>}
                    {at && <Moment at={at} />}
                  </Group>
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </Card>
  );
}

function SetConsent({ item }: { item: EndUserRecord }): ReactNode {
  const say = useTexts(texts);
  const sayKind = useTexts(kindNames);
  const org_id = useOrganization().id;
  const set = useAct('setEndUserConsent', { refresh: ['readEndUser', 'listEndUsers'] });
  const kinds = [...new Set([...item.identities.map((one) => one.channel_kind), ...KINDS.toReversed()])];
  const [kind, setKind] = useState(kinds[0]!);
  const act = (status: 'opted_in' | 'opted_out'): void =>
    set.mutate(
      { params: { org_id, end_user_id: item.id, channel_kind: kind }, body: { status } },
      { onSuccess: () => notifyDone(say('consent_set')) },
    );
  return (
    <>
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label={say('channel_kind')}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
          data={kinds.map((one) => ({ value: one, label: isKnownKind(one) ? sayKind(`kind_${one}`) : one }))}
        />
        <Button variant="default" loading={set.isPending} onClick={() => act('opted_in')}>
          {say('opt_in')}
        </Button>
        <Button variant="default" loading={set.isPending} onClick={() => act('opted_out')}>
          {say('opt_out')}
        </Button>
      </Group>
      {set.error && <ProblemAlert problem={set.error} />}
    </>
  );
}

/** A consent is stored as the status, or as a record about it. */
function readConsent(value: unknown): { status: string | null; source: string | null; at: string | null } {
  if (typeof value === 'string') return { status: value, source: null, at: null };
  const record = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const text = (name: string): string | null => (typeof record[name] === 'string' ? record[name] : null);
  const at = text('at') ?? text('updated_at');
  return {
    status: text('status'),
    source: text('source'),
    at: at !== null && !Number.isNaN(Date.parse(at)) ? at : null,
  };
}
