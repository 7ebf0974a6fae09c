import { Box, Button, Group, Progress, SegmentedControl, Skeleton, Text, Title } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { ChannelDetail } from '../../../../../contract/dashboard/channels.ts';
import { useRead } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { MAX_PAGE } from '../../../../../contract/limits.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { usePartsInOrder } from '../../../parts/use-parts-in-order.ts';
import { usePreferences } from '../../../preferences.ts';
import { useOrganization } from '../../../session/session.ts';
import { AgentStep } from './agent-step.tsx';
import { TryStep } from './try-step.tsx';
import { START_PLACES, type StartPlace } from './start-place.ts';
import { WebsiteSteps } from './website-steps.tsx';
import { WhatNext } from './what-next.tsx';
import { texts } from './texts.ts';
import classes from './first-steps.module.css';

// The module contains the dialog and the texts of API keys, which most newcomers do not need yet.
const BackendSteps = lazy(async () => ({ default: (await import('./backend-steps.tsx')).BackendSteps }));

/** The steps are checked off automatically. The page polls, because users watch it during the first steps. */
const LOOK_AGAIN_MS = 2_000;
const STEPS = 5;

/**
 * The steps lead from an empty organization to the first conversation. `asked`: the steps were hidden, and the user
 * opened them again.
 */
export function FirstSteps({ asked, onHide }: { asked: boolean; onHide: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { tried = [] } = usePreferences();
  const inOrder = usePartsInOrder();
  const overview = useRead('readOverview', { params: { org_id } }, { every: LOOK_AGAIN_MS, live: 'first_steps' });
  const agents = useRead('listAgents', { params: { org_id }, query: { limit: 100 } }, { live: 'first_steps' });
  const [chosen, setChosen] = useState<string | null>(null);
  const [chosenWay, setWay] = useState<StartPlace | null>(null);
  const [knownWay, setKnownWay] = useState<StartPlace | null>(null);
  const agent = agents.data?.data.find(({ id }) => id === chosen) ?? agents.data?.data[0] ?? null;
  const triggers = useRead(
    'listTriggers',
    { params: { org_id }, query: { limit: 1, ...(agent && { agent_id: agent.id }) } },
    { enabled: agent !== null, live: 'first_steps' },
  );
  // While the state is unknown, no form is shown, because the form would disappear later and the page would jump.
  const trigger = agent === null ? null : triggers.data ? (triggers.data.data[0] ?? null) : undefined;
  const chat = useFirstChat(agent?.id);
  const failed = [overview, agents].find(({ data, error }) => error && !data);
  if (failed) return <ProblemAlert problem={failed.error} onRetry={() => void failed.refetch()} />;
  if (!overview.data || !agents.data) return <Skeleton h={420} radius="lg" />;
  const facts = overview.data;
  const { open, handed_off, resolved } = facts.conversations;
  const conversations = open + handed_off + resolved;
  const hasCode = facts.triggers > 0 || facts.active_keys > 0;
  // While the web chat is loading, the way stays as it was, because its steps would be replaced later.
  const known = hasCode && chat === undefined ? null : hasCode && !chat ? 'backend' : 'website';
  if (known !== null && known !== knownWay) setKnownWay(known);
  const way = chosenWay ?? known ?? knownWay;
  if (way === null) return <Skeleton h={420} radius="lg" />;
  const done = [
    agent !== null,
    agent !== null && (tried.includes(agent.id) || conversations > 0),
    ...(way === 'website'
      ? [Boolean(chat), Boolean(chat && chat.reached_origins.length > 0), Boolean(chat?.received)]
      : [
          trigger === undefined ? facts.triggers > 0 : trigger !== null,
          facts.active_keys > 0,
          facts.first_request && conversations > 0,
        ]),
  ];
  const count = done.filter(Boolean).length;
  return (
    <section aria-labelledby="first-steps">
      <Head way={way} asked={asked} onWay={setWay} onHide={onHide} />
      <Group gap="xs" mb="lg">
        <Progress
          value={(count / STEPS) * 100}
          flex="1 1 220px"
          maw={320}
          aria-label={say('progress', { done: count, all: STEPS })}
        />
        <Text size="sm" c="dimmed" role="status">
          {count === STEPS ? say(`all_done_${way}`) : say('progress', { done: count, all: STEPS })}
        </Text>
      </Group>
      <ol ref={inOrder.ref} className={`${classes.steps} ${inOrder.className}`}>
        <AgentStep done={done[0]!} agents={agents.data.data} agent={agent} onChoose={setChosen} />
        <TryStep done={done[1]!} agent={agent} key={agent?.id} />
        {way === 'website' ? (
          <WebsiteSteps agent={agent} chat={chat} done={done} />
        ) : (
          <Suspense fallback={<Skeleton h={300} radius="lg" />}>
            <BackendSteps agent={agent} trigger={trigger} facts={facts} conversations={conversations} done={done} />
          </Suspense>
        )}
      </ol>
      {count === STEPS && agent && (
        <Box mb="lg">
          <WhatNext agent={agent} way={way} />
        </Box>
      )}
    </section>
  );
}

type HeadProps = { way: StartPlace; asked: boolean; onWay: (way: StartPlace) => void; onHide: () => void };

function Head({ way, asked, onWay, onHide }: HeadProps): ReactNode {
  const say = useTexts(texts);
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Title order={2} id="first-steps" tabIndex={-1} ref={asked ? focused : undefined}>
          {say('title')}
        </Title>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onHide}>
          {say('hide')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        {say(`hint_${way}`)}
      </Text>
      <SegmentedControl
        aria-label={say('way')}
        mb="md"
        value={way}
        onChange={(value) => onWay(value)}
        data={START_PLACES.map((value) => ({ value, label: say(`way_${value}`) }))}
      />
    </>
  );
}

/**
 * Reads the first web chat of this agent. The list of sites is read often, because no event announces that a site has
 * reached the server.
 */
function useFirstChat(agentId: string | undefined): ChannelDetail | null | undefined {
  const org_id = useOrganization().id;
  const query = { agent_id: agentId, limit: MAX_PAGE };
  const channels = useRead('listChannels', { params: { org_id }, query }, { enabled: agentId !== undefined });
  const first = channels.data?.data.find(({ kind }) => kind === 'web_chat');
  const chat = useRead(
    'readChannel',
    { params: { org_id, channel_id: first?.id ?? '' } },
    { enabled: first !== undefined, every: LOOK_AGAIN_MS },
  );
  if (agentId === undefined || (channels.data && !first)) return null;
  return chat.data;
}

/** The button that showed the first steps has disappeared, so the focus moves. */
const focused = (heading: HTMLElement | null): void => heading?.focus();
