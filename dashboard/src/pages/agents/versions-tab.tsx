import { Badge, Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { AgentRecord, AgentVersion } from '../../../../contract/dashboard/agents.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { list as inWords } from '../../language/format.ts';
import { useTexts, type Say } from '../../language/texts.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListState } from '../../list/use-list-state.ts';
import { Card } from '../../parts/card.tsx';
import { CodeBlock } from '../../parts/code-tabs.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { DefinitionDiff } from './definition-diff.tsx';
import { RolloutCard } from './rollouts/rollout-card.tsx';
import { VersionComparisonCard } from './rollouts/version-comparison.tsx';
import { sameDefinition } from './editor/clean-definition.ts';
import { texts, type AgentWord } from './texts.ts';
import classes from './agents.module.css';

const PAGE = 20;
const FIELDS = [
  'instructions',
  'provider',
  'model',
  'temperature',
  'end_user_fields',
  'read_images',
  'max_output_tokens',
  'time_limit_seconds',
  'fallback',
  'opening',
  'steps',
  'result',
  'rules',
  'tools',
  'knowledge',
  'dont_know',
  'hand_off',
  'no_reply',
  'survey',
] as const satisfies (keyof AgentDefinition)[];

export function VersionsTab({ agent }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const list = useListState<object>([]);
  const [chosen, setChosen] = useState<AgentVersion | null>(null);
  const versions = useRead(
    'listAgentVersions',
    { params: { org_id, agent_id: agent.id }, query: { cursor: list.cursor, limit: PAGE } },
    { keep: true },
  );
  return (
    <>
      <RolloutCard agent={agent} />
      <VersionComparisonCard agentId={agent.id} />
      <Card title={say('tab_versions')} description={say('versions_hint')}>
        {versions.isPending ? (
          <Skeleton h={160} />
        ) : !versions.data ? (
          <ProblemAlert problem={versions.error} onRetry={() => void versions.refetch()} />
        ) : (
          <>
            <ol className={classes.versions} aria-label={say('tab_versions')}>
              {versions.data.data.map((version, index, all) => (
                <Version
                  key={version.version}
                  item={version}
                  before={all[index + 1] ?? null}
                  all={all}
                  agent={agent}
                  onRestore={() => setChosen(version)}
                />
              ))}
            </ol>
            <Pager list={list} page={versions.data} />
          </>
        )}
        <RestoreDialog agent={agent} item={chosen} onClose={() => setChosen(null)} />
      </Card>
    </>
  );
}

type VersionProps = {
  item: AgentVersion;
  before: AgentVersion | null;
  /** The version with which this version is compared. */
  all: readonly AgentVersion[];
  agent: AgentRecord;
  onRestore: () => void;
};

function Version({ item, before, all, agent, onRestore }: VersionProps): ReactNode {
  const say = useTexts(texts);
  const may = useMay('member');
  const [shown, setShown] = useState<'changes' | 'definition' | null>(null);
  const toggle = (part: 'changes' | 'definition') => () => setShown(shown === part ? null : part);
  const current = agent.version;
  return (
    <li>
      <div className={classes.versionWords}>
        <Text size="sm" fw={570} component="div">
          {say('version_number', { number: item.version })}{' '}
          {item.version === current && <Badge color="blue">{say('answers_now')}</Badge>}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {say.rich('published_by', {
            when: <Moment at={item.created_at} />,
            who: <bdi>{item.published_by ?? say('by_program')}</bdi>,
          })}
          {' · '}
          {difference(item, before, say)}
        </Text>
        {item.without_tests !== null && (
          <Text size="xs" component="div">
            {say('without_tests', { reason: `\u2068${item.without_tests}\u2069` })}
          </Text>
        )}
      </div>
      <Group gap={4}>
        <Button size="xs" variant="subtle" color="gray" aria-expanded={shown === 'changes'} onClick={toggle('changes')}>
          {say('show_changes')}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          aria-expanded={shown === 'definition'}
          onClick={toggle('definition')}
        >
          {say('show_definition')}
        </Button>
        {may && item.version < current && (
          <Button size="xs" variant="default" leftSection={<IconHistory size={14} />} onClick={onRestore}>
            {say('roll_back', { number: item.version })}
          </Button>
        )}
      </Group>
      {shown === 'changes' && <Comparison item={item} before={before} all={all} draft={agent.definition} />}
      {shown === 'definition' && (
        <div style={{ flexBasis: '100%', minWidth: 0 }}>
          <CodeBlock
            code={JSON.stringify(item.definition, null, 2)}
            label={say('version_number', { number: item.version })}
          />
        </div>
      )}
    </li>
  );
}

type ComparisonProps = Pick<VersionProps, 'item' | 'before' | 'all'> & { draft: AgentDefinition };

/** Compares with the previous version, another version, or the draft, always from older to newer. */
function Comparison({ item, before, all, draft }: ComparisonProps): ReactNode {
  const say = useTexts(texts);
  const others = all.filter(({ version }) => version !== item.version);
  const [chosen, setChosen] = useState<number | null>(before?.version ?? null);
  const other = others.find(({ version }) => version === chosen);
  const [old, now] =
    other === undefined || other.version > item.version
      ? [item.definition, other?.definition ?? draft]
      : [other.definition, item.definition];
  return (
    <div className={classes.comparison}>
      <NativeSelect
        size="xs"
        label={say('compare_with')}
        value={chosen ?? ''}
        onChange={({ currentTarget: { value } }) => setChosen(value === '' ? null : Number(value))}
        data={[
          { value: '', label: say('the_draft') },
          ...others.map(({ version }) => ({
            value: String(version),
            label: say('version_number', { number: version }),
          })),
        ]}
      />
      <DefinitionDiff before={old} after={now} />
    </div>
  );
}

function difference(item: AgentVersion, before: AgentVersion | null, say: Say<AgentWord>): string {
  if (!before) return item.version === 1 ? say('first_version') : '';
  const fields = FIELDS.filter((name) => !sameDefinition(item.definition[name], before.definition[name]));
  return fields.length === 0
    ? say('no_difference')
    : say('differs', {
        fields: inWords(
          say.language,
          fields.map((name) => say(`field_${name}`)),
        ),
      });
}

type RestoreProps = { agent: AgentRecord; item: AgentVersion | null; onClose: () => void };

function RestoreDialog({ agent, item, onClose }: RestoreProps): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const restore = useAct('restoreAgentVersion', {
    refresh: ['readAgent', 'listAgentVersions', 'listAgents', 'listAudit'],
  });
  const number = item?.version ?? 0;
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={onClose}
      title={say('roll_back_title', { number })}
      act={say('roll_back_act')}
      danger={false}
      busy={restore.isPending}
      problem={restore.error}
      onAct={() =>
        restore.mutate(
          { params: { org_id, agent_id: agent.id, version: String(number) } },
          {
            onSuccess: (saved) => {
              onClose();
              notifyDone(say('rolled_back', { number: saved.version }));
            },
          },
        )
      }
    >
      <Text size="sm">{say('roll_back_words', { current: agent.version })}</Text>
    </ConfirmDialog>
  );
}
