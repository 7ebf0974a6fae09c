import { Button, Group, Progress, Skeleton, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useRead } from '../../../api/queries.ts';
import { useWords } from '../../../language/words.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { usePreferences } from '../../../preferences.ts';
import { useOrganization } from '../../../session/session.ts';
import { AgentStep } from './agent-step.tsx';
import { CallStep } from './call-step.tsx';
import { KeyStep } from './key-step.tsx';
import { TriggerStep } from './trigger-step.tsx';
import { TryStep } from './try-step.tsx';
import { WhatNext } from './what-next.tsx';
import { words } from './words.ts';
import classes from './first-steps.module.css';

/** The steps are checked off automatically. The page polls, because users watch it during these steps. */
const LOOK_AGAIN_MS = 2_000;
const STEPS = 5;

/**
 * The steps from an empty organization to the first conversation. `asked`: the steps were hidden, and the user wants
 * them again.
 */
export function FirstSteps({ asked, onHide }: { asked: boolean; onHide: () => void }): ReactNode {
  const say = useWords(words);
  const org_id = useOrganization().id;
  const { tried = [] } = usePreferences();
  const overview = useRead('readOverview', { params: { org_id } }, { every: LOOK_AGAIN_MS, live: 'first_steps' });
  const agents = useRead('listAgents', { params: { org_id }, query: { limit: 100 } }, { live: 'first_steps' });
  const [chosen, setChosen] = useState<string | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const agent = agents.data?.data.find(({ id }) => id === chosen) ?? agents.data?.data[0] ?? null;
  const triggers = useRead(
    'listTriggers',
    { params: { org_id }, query: { limit: 1, ...(agent && { agent_id: agent.id }) } },
    { enabled: agent !== null, live: 'first_steps' },
  );
  // An unknown state is not "none". Otherwise a form would appear and disappear, and the page would jump.
  const trigger = agent === null ? null : triggers.data ? (triggers.data.data[0] ?? null) : undefined;
  const failed = [overview, agents].find(({ data, error }) => error && !data);
  if (failed) return <ProblemAlert problem={failed.error} onRetry={() => void failed.refetch()} />;
  if (!overview.data || !agents.data) return <Skeleton h={420} radius="lg" />;
  const facts = overview.data;
  const { open, handed_off, resolved } = facts.conversations;
  const conversations = open + handed_off + resolved;
  const done = [
    agent !== null,
    agent !== null && (tried.includes(agent.id) || conversations > 0),
    trigger === undefined ? facts.triggers > 0 : trigger !== null,
    facts.active_keys > 0,
    facts.first_request && conversations > 0,
  ];
  const count = done.filter(Boolean).length;
  return (
    <section aria-labelledby="first-steps">
      <Group justify="space-between" gap="xs">
        <Title order={2} id="first-steps" tabIndex={-1} ref={asked ? focused : undefined}>
          {say('title')}
        </Title>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onHide}>
          {say('hide')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        {say('hint')}
      </Text>
      <Group gap="xs" mb="lg">
        <Progress
          value={(count / STEPS) * 100}
          flex="1 1 220px"
          maw={320}
          aria-label={say('progress', { done: count, all: STEPS })}
        />
        <Text size="sm" c="dimmed" role="status">
          {count === STEPS ? say('all_done') : say('progress', { done: count, all: STEPS })}
        </Text>
      </Group>
      <ol className={classes.steps}>
        <AgentStep done={done[0]!} agents={agents.data.data} agent={agent} onChoose={setChosen} />
        <TryStep done={done[1]!} agent={agent} key={agent?.id} />
        <TriggerStep done={done[2]!} agent={agent} trigger={trigger} />
        <KeyStep done={done[3]!} agent={agent} active={facts.active_keys} onMade={setMade} />
        <CallStep
          done={done[4]!}
          trigger={trigger}
          value={made}
          called={facts.first_request}
          conversations={conversations}
        />
      </ol>
      {count === STEPS && agent && <WhatNext agent={agent} />}
    </section>
  );
}

/** The button that showed them has disappeared. */
const focused = (heading: HTMLElement | null): void => heading?.focus();
