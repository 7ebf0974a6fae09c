import { Alert, Badge, Tabs, Text, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconEye } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import type { AgentRecord } from '../../../../contract/dashboard/agents.ts';
import { useRead } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useTextVariables } from '../../parts/playground/call-data.ts';
import { Playground } from '../../parts/playground/playground.tsx';
import { useScrollToTab } from '../../parts/use-scroll-to-tab.ts';
import { RecordPage } from '../../parts/record-page.tsx';
import { markTried } from '../../preferences.ts';
import { useMay, useOrganization } from '../../session/session.ts';
import { BehaviourTab } from './editor/behaviour-tab.tsx';
import { EditorContext, useEditor } from '../../parts/editor/editor.ts';
import { ResultCard } from './editor/result-card.tsx';
import { RulesTab } from './editor/rules-tab.tsx';
import { StepsTab } from './editor/steps-tab.tsx';
import { ToolsTab } from './editor/tools-tab.tsx';
import { useDraft } from './editor/use-draft.ts';
import { KnowledgeTab } from './knowledge-tab.tsx';
import { AGENT_TABS, type AgentTab } from './search.ts';
import { PublishBar } from './publish-bar.tsx';
import { ReplayCard } from './replay-card.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { TestCasesTab } from './test-cases-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

import { texts } from './texts.ts';
import { texts as editorTexts } from '../../parts/editor/texts.ts';
import editorClasses from '../../parts/editor/editor-page.module.css';
import classes from './agents.module.css';

const route = getRouteApi('/inside/agents/$agent_id');
const LOOK_AGAIN_MS = 10_000;

export function AgentPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { agent_id } = route.useParams();
  const agent = useRead('readAgent', { params: { org_id, agent_id } }, { every: LOOK_AGAIN_MS });
  const crumbs = [{ label: say('agents'), to: '/agents' as const }];
  return (
    <RecordPage read={agent} title={say('agents')} crumbs={crumbs}>
      {(data) => <Desk agent={data} />}
    </RecordPage>
  );
}

/** The tab of the editor that contains a fault of the definition. */
const FIELDS_OF: Partial<Record<AgentTab, readonly string[]>> = {
  behaviour: [
    '/instructions',
    '/opening',
    '/dont_know',
    '/provider',
    '/model',
    '/temperature',
    '/end_user_fields',
    '/read_images',
    '/max_output_tokens',
    '/time_limit_seconds',
    '/fallback',
    '/hand_off',
    '/no_reply',
    '/survey',
  ],
  steps: ['/steps', '/result'],
  rules: ['/rules'],
  tools: ['/tools'],
  knowledge: ['/knowledge'],
};
const EDITING: readonly AgentTab[] = ['behaviour', 'steps', 'rules', 'tools'];

function Desk({ agent }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { role } = useOrganization();
  const may = useMay('member');
  const { tab = 'behaviour' } = route.useSearch();
  const draft = useDraft(agent, !may);
  const variables = useTextVariables(agent.id, draft.definition);
  // A new number resets fields that store their own text next to the definition.
  const [discarded, setDiscarded] = useState(0);
  return (
    <EditorContext.Provider value={{ ...draft.editor, variables }}>
      <PageHeader
        title={agent.name}
        crumbs={[{ label: say('agents'), to: '/agents' }]}
        badge={
          <>
            {!agent.enabled && <Badge color="gray">{say('disabled')}</Badge>}
            <Badge color={draft.dirty || agent.unpublished_changes ? 'orange' : 'blue'}>
              {draft.dirty || agent.unpublished_changes
                ? say('unpublished')
                : say('version_number', { number: agent.version })}
            </Badge>
          </>
        }
      />
      {!may && (
        <Alert color="gray" icon={<IconEye size={18} />} mb="lg">
          {say('view_only', { role: sayCommon(`role_${role}`) })}
        </Alert>
      )}
      <LeftOut agent={agent} />
      {may && (EDITING.includes(tab) || tab === 'tests' || draft.dirty) && (
        <PublishBar
          agent={agent}
          draft={draft}
          onDiscard={() => {
            draft.discard();
            setDiscarded(discarded + 1);
          }}
        />
      )}
      <div className={editorClasses.columns}>
        <div>
          <AgentTabs agent={agent} tab={tab} discarded={discarded} unsaved={draft.dirty} />
        </div>
        <div className={editorClasses.beside}>
          <Card title={say('test_chat')} description={say('test_chat_hint')}>
            <Playground
              agentId={agent.id}
              definition={draft.definition}
              onAnswered={() => markTried(agent.id)}
              onFaults={draft.showFaults}
            />
          </Card>
        </div>
      </div>
    </EditorContext.Provider>
  );
}

/**
 * The tabs have the parts of the editor, which share the draft through its context, and the parts that are saved
 * immediately.
 */
type TabsProps = { agent: AgentRecord; tab: AgentTab; discarded: number; unsaved: boolean };

function AgentTabs({ agent, tab, discarded, unsaved }: TabsProps): ReactNode {
  const say = useTexts(texts);
  const sayEditor = useTexts(editorTexts);
  const navigate = route.useNavigate();
  const row = useScrollToTab(tab);
  const may = useMay('member');
  const { faulty } = useEditor();
  const panels: Record<AgentTab, ReactNode> = {
    behaviour: <BehaviourTab key={discarded} />,
    knowledge: <KnowledgeTab agentId={agent.id} unsaved={unsaved} />,
    steps: (
      <>
        <StepsTab key={discarded} />
        <ResultCard />
      </>
    ),
    rules: <RulesTab key={discarded} />,
    tools: <ToolsTab key={discarded} changed={agent.changed_tools} />,
    tests: (
      <>
        <TestCasesTab agentId={agent.id} unsaved={unsaved} isPublished={!unsaved && !agent.unpublished_changes} />
        {may && <ReplayCard agentId={agent.id} unsaved={unsaved} />}
      </>
    ),
    versions: <VersionsTab agent={agent} />,
    settings: <SettingsTab agent={agent} />,
  };
  return (
    <Tabs
      value={tab}
      onChange={(value) =>
        void navigate({
          to: '.',
          search: { tab: value === 'behaviour' ? undefined : (value as AgentTab) },
          replace: true,
          resetScroll: false,
        })
      }
      keepMounted={false}
    >
      <Tabs.List ref={row} className={editorClasses.tabs}>
        {AGENT_TABS.map((one) => {
          const isFaulty = FIELDS_OF[one]?.some(faulty);
          return (
            <Tabs.Tab key={one} value={one} className={editorClasses.tab} data-fault={isFaulty || undefined}>
              {say(`tab_${one}`)}
              {one === 'tools' && agent.changed_tools.length > 0 && (
                <Badge color="red" size="sm" ms={6}>
                  <span aria-hidden="true">{agent.changed_tools.length}</span>
                  <VisuallyHidden> ({say('changed_tools', { count: agent.changed_tools.length })})</VisuallyHidden>
                </Badge>
              )}
              {isFaulty && <VisuallyHidden> ({sayEditor('has_fault')})</VisuallyHidden>}
            </Tabs.Tab>
          );
        })}
      </Tabs.List>
      {AGENT_TABS.map((one) => (
        <Tabs.Panel key={one} value={one}>
          {panels[one]}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** Shows parts of an old definition that turns skip, by the name of the rule or step. */
function LeftOut({ agent: { left_out: leftOut, published, version } }: { agent: AgentRecord }): ReactNode {
  const say = useTexts(texts);
  if (leftOut.length === 0) return null;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} title={say('left_out', { number: version })} mb="lg">
      <Text size="sm">{say('left_out_hint')}</Text>
      <ul className={classes.leftOut}>
        {leftOut.map(({ pointer, detail }) => (
          <li key={pointer}>
            <Text size="sm" component="span" fw={550} dir="auto">
              {nameAt(published, pointer)}
            </Text>
            {': '}
            <bdi>{detail}</bdi>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** For example, `/rules/3/pattern` is in the fourth rule. */
function nameAt({ rules = [], steps }: AgentDefinition, pointer: string): string {
  const [, kind, place] = /^\/(rules|steps\/items)\/(\d+)/.exec(pointer) ?? [];
  const named = kind === 'rules' ? rules : (steps?.items ?? []);
  return named[Number(place)]?.name ?? pointer;
}
