import { Alert, Badge, Button, Code, Group, Progress, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { CaseResult, TestCase, SuiteRecord } from '../../../../contract/dashboard/test-cases.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { CaseDialog } from '../../parts/test-cases/case-dialog.tsx';
import { withFreeName } from '../../parts/test-cases/case-from-message.ts';
import { CaseFault } from './case-fault.tsx';
import { testTexts } from '../../parts/test-cases/texts.ts';
import { useChangeSuite } from '../../parts/test-cases/use-change-suite.ts';
import { useTestRun } from './use-test-run.ts';
import classes from '../../parts/page.module.css';

/**
 * The tab shows the tests of an agent, their last results, and the button that runs them. The list shows failed tests
 * first.
 */
/** `isPublished`: the draft has no changes, so publishing is not the next step. */
type Props = { agentId: string; unsaved: boolean; isPublished: boolean };

export function TestCasesTab({ agentId, unsaved, isPublished }: Props): ReactNode {
  const say = useTexts(testTexts);
  const org_id = useOrganization().id;
  const suite = useRead('readSuite', { params: { org_id, agent_id: agentId } });
  return (
    <Card title={say('title')} description={say('hint')}>
      {suite.isPending ? (
        <Skeleton h={160} />
      ) : suite.data ? (
        <Suite agentId={agentId} suite={suite.data} unsaved={unsaved} isPublished={isPublished} />
      ) : (
        <ProblemAlert problem={suite.error} onRetry={() => void suite.refetch()} />
      )}
    </Card>
  );
}

type Params = { org_id: string; agent_id: string };
/** Null: a new test. */
type Editing = { item: TestCase | null };

function Suite({ agentId, suite, unsaved, isPublished }: Props & { suite: SuiteRecord }): ReactNode {
  const say = useTexts(testTexts);
  const may = useMay('member');
  const params = { org_id: useOrganization().id, agent_id: agentId };
  const run = useTestRun(params);
  const [editing, setEditing] = useState<Editing | null>(null);
  const [removing, setRemoving] = useState<TestCase | null>(null);
  const { cases, open } = suite;
  const failed = cases.filter(({ name }) => run.results.get(name)?.passed === false);
  const ordered = [...failed, ...cases.filter((one) => !failed.includes(one))];
  return (
    <Stack>
      {cases.length === 0 && (
        <div>
          <Text fw={600}>{say('empty_title')}</Text>
          <Text size="sm" c="dimmed">
            {say('empty')}
          </Text>
        </div>
      )}
      {may && (
        <Group gap="xs">
          {cases.length > 0 && <RunButton run={run} cases={cases} isMain={isPublished} />}
          <Button variant="default" onClick={() => setEditing({ item: null })}>
            {say('add')}
          </Button>
        </Group>
      )}
      {unsaved && cases.length > 0 && <Alert color="gray">{say('unsaved')}</Alert>}
      {cases.length > 0 && <RunState run={run} all={cases.length} />}
      <ul className={classes.dividedList} aria-label={say('title')}>
        {ordered.map((one) => (
          <Case key={one.name} item={one} isOpen={open.includes(one.name)} result={run.results.get(one.name)}>
            {may && (
              <CaseActs
                busy={run.busy}
                onRun={() => void run.start([one])}
                onEdit={() => setEditing({ item: one })}
                onRemove={() => setRemoving(one)}
              />
            )}
          </Case>
        ))}
      </ul>
      {cases.length > 0 && <Gate params={params} required={suite.required} />}
      <EditCase params={params} editing={editing} onClose={() => setEditing(null)} />
      <RemoveCase params={params} item={removing} onClose={() => setRemoving(null)} />
    </Stack>
  );
}

type ActsProps = { busy: boolean; onRun: () => void; onEdit: () => void; onRemove: () => void };

function CaseActs({ busy, onRun, onEdit, onRemove }: ActsProps): ReactNode {
  const say = useTexts(testTexts);
  return (
    <Group gap={4} wrap="nowrap">
      <Button size="compact-sm" variant="subtle" disabled={busy} onClick={onRun}>
        {say('run')}
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onEdit}>
        {say('edit')}
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onRemove}>
        {say('remove')}
      </Button>
    </Group>
  );
}

/** Sets whether publishing requires the tests, and downloads the tests as a file. */
function Gate({ params, required }: { params: Params; required: boolean }): ReactNode {
  const say = useTexts(testTexts);
  const may = useMay('member');
  const change = useChangeSuite(params);
  return (
    <>
      <Switch
        label={say('required')}
        description={say('required_hint')}
        checked={required}
        disabled={!may || change.isPending}
        onChange={({ currentTarget: { checked } }) =>
          change.mutate({ required: checked }, { onSuccess: () => notifyDone(say('required_set')) })
        }
      />
      {change.error && <ProblemAlert problem={change.error} />}
      <Text size="xs" c="dimmed">
        {say.rich('as_file', { command: <Code className="ltr">./parley agents suite show {params.agent_id}</Code> })}
      </Text>
    </>
  );
}

type EditProps = { params: Params; editing: Editing | null; onClose: () => void };

function EditCase({ params, editing, onClose }: EditProps): ReactNode {
  const say = useTexts(testTexts);
  const change = useChangeSuite(params);
  const close = (): void => {
    change.reset();
    onClose();
  };
  const done = (): void => {
    close();
    notifyDone(say('saved'));
  };
  return (
    <CaseDialog
      opened={editing !== null}
      item={editing?.item ?? null}
      busy={change.isPending}
      problem={change.error}
      onClose={close}
      onSave={(item) =>
        change.mutate({ cases: (newest) => withCase(newest, editing!.item, item) }, { onSuccess: done })
      }
    />
  );
}

/**
 * Adds a test, or replaces the test `before`. If another member has changed or removed this test, the list gets both
 * tests, so that no text is lost.
 */
function withCase(cases: TestCase[], before: TestCase | null, one: TestCase): TestCase[] {
  if (before === null) return [...cases, one];
  const at = cases.findIndex((known) => JSON.stringify(known) === JSON.stringify(before));
  return at === -1 ? [...cases, withFreeName(one, cases)] : cases.with(at, one);
}

type RemoveProps = { params: Params; item: TestCase | null; onClose: () => void };

function RemoveCase({ params, item, onClose }: RemoveProps): ReactNode {
  const say = useTexts(testTexts);
  const change = useChangeSuite(params);
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={onClose}
      title={say('remove_title')}
      act={say('remove')}
      busy={change.isPending}
      problem={change.error}
      onAct={() =>
        change.mutate({ cases: (newest) => newest.filter(({ name }) => name !== item?.name) }, { onSuccess: onClose })
      }
    >
      <Text size="sm">{say.rich('remove_words', { name: <bdi>{item?.name}</bdi> })}</Text>
    </ConfirmDialog>
  );
}

type Run = ReturnType<typeof useTestRun>;

type RunProps = { run: Run; cases: readonly TestCase[]; isMain: boolean };

function RunButton({ run, cases, isMain }: RunProps): ReactNode {
  const say = useTexts(testTexts);
  return run.busy ? (
    <Button color="gray" onClick={run.stop}>
      {say('stop')}
    </Button>
  ) : (
    <Button variant={isMain ? 'filled' : 'default'} onClick={() => void run.start(cases)}>
      {say('run_all')}
    </Button>
  );
}

function RunState({ run, all }: { run: Run; all: number }): ReactNode {
  const say = useTexts(testTexts);
  const failed = [...run.results.values()].filter(({ passed }) => !passed).length;
  return (
    <div role="status">
      {run.busy && (
        <Stack gap={4}>
          <Text size="sm">{say('progress', { done: run.done, all: run.wanted })}</Text>
          <Progress value={(run.done / run.wanted) * 100} aria-label={say('title')} />
        </Stack>
      )}
      {!run.busy && failed > 0 && (
        <Text size="sm" fw={570} c="var(--mantine-color-error)">
          {say('some_failed', { count: failed })}
        </Text>
      )}
      {!run.busy && failed === 0 && run.results.size === all && all > 0 && (
        <Text size="sm" fw={570}>
          {say('all_passed', { count: all })}
        </Text>
      )}
      {run.problem !== null && <ProblemAlert problem={run.problem} />}
    </div>
  );
}

type CaseProps = { item: TestCase; isOpen: boolean; result: CaseResult | undefined; children: ReactNode };

function Case({ item, isOpen, result, children }: CaseProps): ReactNode {
  const say = useTexts(testTexts);
  const state = result ? (result.passed ? 'passed' : 'failed') : isOpen ? 'open' : 'passed';
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge
            color={state === 'passed' ? 'blue' : state === 'failed' ? 'red' : 'gray'}
            title={state === 'open' ? say('open_hint') : undefined}
          >
            {say(state)}
          </Badge>
          <Text size="sm" fw={570}>
            <bdi>{item.name}</bdi>
          </Text>
        </Group>
        {children}
      </Group>
      {result?.turns.map(
        ({ judgment }, at) =>
          judgment && (
            // oxlint-disable-next-line react/no-array-index-key -- the turns of a result do not change
            <Text key={at} size="sm" mt={4} c="dimmed">
              {say.rich(judgment.met ? 'judged_met' : 'judged_unmet', {
                turn: String(at + 1),
                model: <bdi>{judgment.by}</bdi>,
                why: <bdi>{judgment.why}</bdi>,
              })}
            </Text>
          ),
      )}
      {result?.turns.map((turn, at) =>
        turn.faults.map((fault) => <CaseFault key={`${at}/${fault.expectation}`} turn={at + 1} fault={fault} />),
      )}
    </li>
  );
}
