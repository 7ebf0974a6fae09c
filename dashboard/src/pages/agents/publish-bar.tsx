import { ActionIcon, Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconVersions } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { AgentRecord } from '../../../../contract/dashboard/agents.ts';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import editorClasses from '../../parts/editor/editor-page.module.css';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { DefinitionDiff } from './definition-diff.tsx';
import { cleanDefinition } from './editor/clean-definition.ts';
import type { useDraft } from './editor/use-draft.ts';
import { TestGate } from './test-gate.tsx';
import { texts } from './texts.ts';

type Draft = ReturnType<typeof useDraft>;
type BarProps = { agent: AgentRecord; draft: Draft; onDiscard: () => void };

/** The bar shows the state of the definition (edited, saved or published), and the buttons for the next step. */
export function PublishBar({ agent, draft, onDiscard }: BarProps): ReactNode {
  const say = useTexts(texts);
  const { dirty } = draft;
  return (
    <div className={editorClasses.bar} role="region" aria-label={say('publish')}>
      <Standing agent={agent} draft={draft} />
      {dirty && (
        <Button variant="subtle" color="gray" onClick={onDiscard} disabled={draft.busy !== null}>
          {say('discard')}
        </Button>
      )}
      <Button
        variant="default"
        disabled={!dirty || draft.busy !== null}
        loading={draft.busy === 'save' && !draft.publishing}
        onClick={() => draft.save(() => notifyDone(say('draft_saved')))}
      >
        {say('save_draft')}
      </Button>
      <PublishButtons agent={agent} draft={draft} />
    </div>
  );
}

/** The bar shows which version is live, and what prevents publishing. */
function Standing({ agent, draft }: Omit<BarProps, 'onDiscard'>): ReactNode {
  const say = useTexts(texts);
  const { dirty, overtaken, faults, problem } = draft;
  // The gate stays visible while the draft is saved and the tests run, until the next version is published.
  const [gatedVersion, setGatedVersion] = useState<number | null>(null);
  const isRefused = problem?.code === 'tests_not_passed';
  useEffect(() => {
    if (isRefused) setGatedVersion(agent.newest_version);
  }, [isRefused, agent.newest_version]);
  const isGated = isRefused || gatedVersion === agent.newest_version;
  const standing = dirty
    ? say('unsaved')
    : agent.unpublished_changes
      ? say('draft_waits', { number: agent.version })
      : say('all_published', { number: agent.version });
  return (
    <div className={editorClasses.barWords}>
      <Text size="sm" role="status" fw={550}>
        {standing}
      </Text>
      {dirty || agent.unpublished_changes ? (
        <WhatChanges agent={agent} definition={draft.definition} />
      ) : (
        <NextChannel agentId={agent.id} />
      )}
      {agent.newest_version > agent.version && (
        <Text size="xs">
          {say('not_live', { number: agent.newest_version })}{' '}
          <Anchor inherit renderRoot={(props) => <Link to="." search={{ tab: 'versions' }} {...props} />}>
            {say('not_live_next')}
          </Anchor>
        </Text>
      )}
      {overtaken && (
        <Text size="xs" c="orange.9">
          {say('overtaken')}
        </Text>
      )}
      {faults.length > 0 && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {say('faults', { count: faults.length })} <bdi>{faults[0]!.detail}</bdi>
        </Text>
      )}
      {problem && faults.length === 0 && <ProblemAlert problem={problem} />}
      {isGated && <TestGate agentId={agent.id} draft={draft} />}
    </div>
  );
}

/** The buttons make the draft live, or add it as a version that only rollouts, triggers and calls use. */
function PublishButtons({ agent, draft }: Omit<BarProps, 'onDiscard'>): ReactNode {
  const say = useTexts(texts);
  const isOff = (!draft.dirty && !agent.unpublished_changes) || (draft.busy !== null && !draft.publishing);
  return (
    <Group gap={4} wrap="nowrap">
      <Button
        disabled={isOff}
        loading={draft.publishing || draft.busy === 'publish'}
        onClick={() =>
          draft.publish((saved) => notifyDone(say('published', { number: saved.version })), { live: true })
        }
      >
        {say('publish')}
      </Button>
      <Menu
        label={say('other_choices')}
        align="end"
        button={(opener) => (
          <ActionIcon
            {...opener}
            size={36}
            variant="default"
            disabled={isOff || draft.busy !== null}
            aria-label={say('other_choices')}
          >
            <IconChevronDown size={16} />
          </ActionIcon>
        )}
      >
        <MenuItem
          icon={<IconVersions size={16} />}
          onClick={() =>
            draft.publish((saved) => notifyDone(say('added_version', { number: saved.newest_version })), {
              live: false,
            })
          }
        >
          {say('publish_not_live')}
        </MenuItem>
      </Menu>
    </Group>
  );
}

/** After publishing, shows the channels that reach people, or the way to the first channel. */
function NextChannel({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const query = { agent_id: agentId, limit: MAX_PAGE };
  const channels = useRead('listChannels', { params: { org_id }, query }, { staleTime: 30_000 }).data?.data;
  const hasOne = channels?.some(({ kind }) => kind !== 'sandbox');
  if (hasOne === undefined) return null;
  const search = { agent_id: agentId, ...(!hasOne && { connect: '' }) };
  return (
    <Anchor size="xs" renderRoot={(props) => <Link to="/channels" search={search} {...props} />}>
      {say(hasOne ? 'next_channel' : 'first_channel')}
    </Anchor>
  );
}

/** The differences between the draft and the published version. */
function WhatChanges({ agent, definition }: { agent: AgentRecord; definition: AgentDefinition }): ReactNode {
  const say = useTexts(texts);
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Anchor component="button" type="button" size="xs" onClick={open}>
        {say('what_changes')}
      </Anchor>
      <Dialog opened={opened} onClose={close} title={say('what_changes_title')} size={760}>
        <DefinitionDiff before={agent.published} after={cleanDefinition(definition)} />
      </Dialog>
    </>
  );
}
