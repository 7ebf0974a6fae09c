import { Alert, Button, Group, Progress, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useRef, type ReactNode } from 'react';
import type { AdditionRecord } from '../../../../../contract/dashboard/additions.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { queryClient, readOptions, useAct, useRead } from '../../../api/queries.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useFocus } from '../../../parts/use-focus.ts';
import { useMay, useOrganization } from '../../../session/session.ts';
import classes from '../campaigns.module.css';
import { READ_AGAIN } from '../search.ts';
import { Result } from './result.tsx';
import { texts } from './texts.ts';

const SHOWN = 5;
const LOOK_AGAIN_MS = 1_000;
/** The interval of reads while no addition is running, because another member may start one. */
const LOOK_SELDOM_MS = 10_000;

const isOpen = ({ finished_at: finishedAt }: AdditionRecord): boolean => finishedAt === null;

/** Shows the newest additions with their progress. */
export function Additions({ item }: { item: CampaignRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const input = { params: { org_id, campaign_id: item.id }, query: { limit: SHOWN } };
  const known = queryClient.getQueryData(readOptions('listPushes', input).queryKey)?.data ?? [];
  const { data } = useRead('listPushes', input, { every: known.some(isOpen) ? LOOK_AGAIN_MS : LOOK_SELDOM_MS });
  if (!data || data.data.length === 0) return null;
  return (
    <div className={classes.section}>
      <Card title={say('additions')} description={say('additions_hint')}>
        <ul className={classes.additions}>
          {data.data.map((addition) => (
            <Addition key={addition.id} addition={addition} />
          ))}
        </ul>
      </Card>
    </div>
  );
}

function Addition({ addition }: { addition: AdditionRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const may = useMay('member');
  const stop = useAct('cancelPush', { refresh: [...READ_AGAIN, 'listPushes'] });
  const row = useRef<HTMLLIElement>(null);
  const focus = useFocus();
  const state = addition.is_held ? 'held' : addition.state;
  const params = { org_id, campaign_id: addition.campaign_id, push_id: addition.id };
  return (
    <li ref={row} tabIndex={-1} data-state={addition.state}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={550}>
          <Source addition={addition} />
        </Text>
        <Text size="sm" c="dimmed">
          {addition.source === 'api' ? (
            say.rich('last_call', { when: <Moment at={addition.finished_at ?? addition.created_at} /> })
          ) : (
            <>
              {say(`push_${state}`)} · <Moment at={addition.created_at} />
            </>
          )}
          {addition.source !== 'api' && addition.created_by !== null && (
            <>
              {' '}
              · <bdi>{addition.created_by}</bdi>
            </>
          )}
        </Text>
      </Group>
      {isOpen(addition) && (
        <Group gap="md" wrap="nowrap">
          <Done addition={addition} />
          {may && (
            <Button
              variant="default"
              size="xs"
              loading={stop.isPending}
              // The button disappears with the stopped addition.
              onClick={() => stop.mutate({ params }, { onSuccess: () => focus(() => row.current) })}
            >
              {say('stop')}
            </Button>
          )}
        </Group>
      )}
      {addition.done > 0 && (
        <Result
          sum={{ ...addition, invalid: addition.source === 'filters' ? addition.invalid : 0 }}
          done={!isOpen(addition)}
        />
      )}
      {addition.source !== 'filters' && <Faults addition={addition} />}
      {addition.fault && (
        <Alert color="red" icon={<IconAlertTriangle size={18} />}>
          <span dir="auto">{addition.fault.detail}</span>
        </Alert>
      )}
      {stop.error && <ProblemAlert problem={stop.error} />}
    </li>
  );
}

function Source({ addition: { source, filters, created_by: by } }: { addition: AdditionRecord }): ReactNode {
  const say = useTexts(texts);
  if (source === 'api') return by === null ? say('by_key_gone') : say('by_api', { key: `\u2068${by}\u2069` });
  if (source === 'file') return say('by_file');
  if (filters.length === 0) return say('by_all');
  const named = filters.map((name) => say(FILTERS[name as keyof typeof FILTERS] ?? 'text'));
  return say('by_filters', { names: named.join(say.language === 'ar' ? '، ' : ', ') });
}

/** The names of the filters as the server sends them. */
const FILTERS = { tags: 'tag', attributes: 'attribute', text: 'text', blocked: 'blocked' } as const;

function Done({ addition: { done, total, is_held: isHeld } }: { addition: AdditionRecord }): ReactNode {
  const say = useTexts(texts);
  const many = (value: number): string => number(say.language, value);
  const text =
    total === null ? say('looked_at', { done: many(done) }) : say('of', { done: many(done), total: many(total) });
  const percent = total === null || total === 0 ? 100 : Math.floor((100 * done) / total);
  return (
    <div className={classes.done}>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          animated={!isHeld}
          striped={total === null}
          aria-label={say('additions')}
          aria-valuetext={text}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </div>
  );
}

function Faults({ addition: { invalid, faults } }: { addition: AdditionRecord }): ReactNode {
  const say = useTexts(texts);
  if (invalid === 0) return null;
  const many = (value: number): string => number(say.language, value);
  return (
    <details className={classes.faults}>
      <summary>{say('faulty', { count: invalid, number: many(invalid) })}</summary>
      <ul>
        {faults.map(({ row, detail, ref, request_id: request }, index) => (
          <li key={`${index} ${row}`}>
            {say('fault_row', { row: many(row) })}
            {ref && <bdi> {ref}</bdi>}: <bdi>{detail}</bdi>
            {request && <small className="ltr"> ({say('fault_call', { id: request })})</small>}
          </li>
        ))}
      </ul>
    </details>
  );
}
