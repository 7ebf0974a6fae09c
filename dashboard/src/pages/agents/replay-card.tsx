import { Alert, Button, Chip, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { REPLAY_CHANGES, type ReplayChange, summarizeReplays } from '../../../../contract/dashboard/replay.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { ReplayedConversation } from './replayed-conversation.tsx';
import { replayTexts } from './replay-texts.ts';
import { type Replayed, useReplay } from './use-replay.ts';
import classes from '../../parts/page.module.css';

const LAST = [20, 50, 200, 500];
/** At first, the card shows this number of differences. */
const SHOWN = 20;

type Kind = 'all' | 'earlier' | ReplayChange;

/** The card replays real conversations with the draft, and shows the summary and then each difference. */
export function ReplayCard({ agentId, unsaved }: { agentId: string; unsaved: boolean }): ReactNode {
  const say = useTexts(replayTexts);
  const replay = useReplay({ org_id: useOrganization().id, agent_id: agentId });
  const [last, setLast] = useState(LAST[1]!);
  const { progress } = replay;
  return (
    <Card title={say('title')} description={say('hint')}>
      <Stack>
        <Group gap="xs" align="end">
          <NativeSelect
            label={say('last')}
            value={last}
            data={LAST.map(String)}
            disabled={progress !== null}
            onChange={({ currentTarget: { value } }) => setLast(Number(value))}
          />
          {progress ? (
            <Button color="gray" onClick={replay.stop}>
              {say('stop')}
            </Button>
          ) : (
            <Button variant="default" onClick={() => void replay.start(last)}>
              {say('start')}
            </Button>
          )}
        </Group>
        {unsaved && <Alert color="gray">{say('unsaved')}</Alert>}
        <div role="status">
          {progress && (
            <Stack gap={4}>
              <Text size="sm">{say('progress', { done: progress.done, all: progress.wanted })}</Text>
              <Progress value={(progress.done / Math.max(1, progress.wanted)) * 100} aria-label={say('title')} />
            </Stack>
          )}
          {replay.ended && <Summary replayed={replay.replayed} failed={replay.failed} />}
        </div>
        {replay.problem && <ProblemAlert problem={replay.problem} />}
        <Differences replayed={replay.replayed} />
      </Stack>
    </Card>
  );
}

function Summary({ replayed, failed }: { replayed: readonly Replayed[]; failed: number }): ReactNode {
  const say = useTexts(replayTexts);
  const { played, same, changed, earlier } = summarizeReplays(replayed.map(({ result }) => result));
  return (
    <>
      {played > 0 && (
        <Text size="sm" fw={570}>
          {same === played ? say('all_same', { count: played }) : say('summary', { same, changed })}
        </Text>
      )}
      {played === 0 && failed === 0 && <Text size="sm">{say('none')}</Text>}
      {earlier > 0 && <Text size="sm">{say('summary_earlier', { count: earlier })}</Text>}
      {failed > 0 && <Text size="sm">{say('not_played', { count: failed })}</Text>}
    </>
  );
}

function Differences({ replayed }: { replayed: readonly Replayed[] }): ReactNode {
  const say = useTexts(replayTexts);
  const [kind, setKind] = useState<Kind>('all');
  const [shown, setShown] = useState(SHOWN);
  const { by, changed, earlier } = summarizeReplays(replayed.map(({ result }) => result));
  if (changed + earlier === 0) return null;
  const kinds = REPLAY_CHANGES.filter((name) => by[name] > 0);
  const wanted: Kind = kind === 'all' || (kind === 'earlier' ? earlier : by[kind]) > 0 ? kind : 'all';
  const found = replayed.filter(({ result }) => isOf(result, wanted));
  return (
    <>
      <Chip.Group value={wanted} onChange={(value) => setKind(value)}>
        <Group gap={6} role="group" aria-label={say('filter')}>
          <Chip value="all" size="xs">
            {say('all')} {changed}
          </Chip>
          {kinds.map((name) => (
            <Chip key={name} value={name} size="xs">
              {say(name)} {by[name]}
            </Chip>
          ))}
          {earlier > 0 && (
            <Chip value="earlier" size="xs">
              {say('earlier')} {earlier}
            </Chip>
          )}
        </Group>
      </Chip.Group>
      <ul className={classes.dividedList} aria-label={say('title')}>
        {found.slice(0, shown).map(({ conversation, result }) => (
          <ReplayedConversation key={conversation.id} conversation={conversation} result={result} />
        ))}
      </ul>
      {found.length > shown && (
        <Button variant="default" onClick={() => setShown(shown + SHOWN)}>
          {say('more', { count: Math.min(SHOWN, found.length - shown) })}
        </Button>
      )}
    </>
  );
}

function isOf({ turns }: Replayed['result'], kind: Kind): boolean {
  const mine = turns.filter(({ cause }) => cause === 'draft');
  if (kind === 'all') return mine.length > 0;
  if (kind === 'earlier') return mine.length === 0 && turns.some(({ cause }) => cause === 'earlier');
  return mine.some(({ changed }) => changed.includes(kind));
}
