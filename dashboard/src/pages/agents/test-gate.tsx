import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { CaseResult } from '../../../../contract/dashboard/test-cases.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import type { useDraft } from './editor/use-draft.ts';
import { testTexts } from '../../parts/test-cases/texts.ts';
import { CaseFault } from './case-fault.tsx';
import { useTestRun } from './use-test-run.ts';
import { texts } from './texts.ts';

type Props = { agentId: string; draft: ReturnType<typeof useDraft> };

/**
 * The dialog is shown when publishing was refused because of the tests. The user can run the tests here, or publish
 * with a reason.
 */
export function TestGate({ agentId, draft }: Props): ReactNode {
  const params = { org_id: useOrganization().id, agent_id: agentId };
  const say = useTexts(testTexts);
  const suite = useRead('readSuite', { params });
  const run = useTestRun(params);
  const { cases = [], open = [] } = suite.data ?? {};
  const results = [...run.results.values()];
  const failed = [...run.results].filter(([, { passed }]) => !passed);
  const start = (): void => {
    const all = draft.dirty ? cases : cases.filter(({ name }) => open.includes(name));
    // Tests run with the saved draft.
    if (draft.dirty) draft.save(() => void run.start(all));
    else void run.start(all);
  };
  return (
    <>
      <Group gap="xs" mt="xs">
        <Button size="compact-sm" variant="default" loading={run.busy} disabled={!suite.data} onClick={start}>
          {say('run_open')}
        </Button>
        <Text size="sm" role="status">
          {run.busy
            ? say('progress', { done: run.done, all: run.wanted })
            : failed.length > 0
              ? say('some_failed', { count: failed.length })
              : results.length > 0 && say('may_publish')}
        </Text>
      </Group>
      {failed.map(([name, result]) => (
        <FailedCase key={name} name={name} result={result} />
      ))}
      {failed.length > 0 && (
        <Anchor size="xs" renderRoot={(props) => <Link to="." search={{ tab: 'tests' }} {...props} />}>
          {say('change_tests')}
        </Anchor>
      )}
      {run.problem !== null && <ProblemAlert problem={run.problem} />}
      <WithoutTests draft={draft} />
    </>
  );
}

const FailedCase = ({ name, result }: { name: string; result: CaseResult }): ReactNode => (
  <div>
    <Text size="sm" fw={570} mt="xs" dir="auto">
      {name}
    </Text>
    {result.turns.map(({ faults }, at) =>
      faults.map((fault) => <CaseFault key={`${at}/${fault.expectation}`} turn={at + 1} fault={fault} />),
    )}
  </div>
);

/** The form that publishes without passing tests, with a reason. */
function WithoutTests({ draft }: { draft: ReturnType<typeof useDraft> }): ReactNode {
  const say = useTexts(texts);
  const sayTests = useTexts(testTexts);
  const [reason, setReason] = useState('');
  const publish = (): void =>
    draft.publish(
      ({ version, newest_version: newest }) =>
        notifyDone(newest > version ? say('added_version', { number: newest }) : say('published', { number: version })),
      { reason: reason.trim() },
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        publish();
      }}
    >
      <Group gap="xs" mt="xs" align="end">
        <TextInput
          label={sayTests('publish_reason')}
          value={reason}
          maxLength={500}
          onChange={({ currentTarget: { value } }) => setReason(value)}
        />
        <Button type="submit" variant="default" disabled={reason.trim().length < 3} loading={draft.busy !== null}>
          {sayTests('publish_without')}
        </Button>
      </Group>
    </form>
  );
}
