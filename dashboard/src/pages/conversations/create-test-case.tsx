import { useState, type ReactNode } from 'react';
import type { ConversationMessage, ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import type { TestCase } from '../../../../contract/dashboard/test-cases.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { onceOpened } from '../../parts/once-opened.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { caseFrom, withFreeName } from '../../parts/test-cases/case-from-message.ts';
import { testTexts } from '../../parts/test-cases/texts.ts';

const CaseDialog = onceOpened(
  async () => (await import('../../parts/test-cases/case-dialog.tsx')).CaseDialog,
  ({ opened }) => opened,
  { opened: false },
);

type Props = { item: ConversationRecord; message: ConversationMessage; opened: boolean; onClose: () => void };

/** The button “This should have been …” creates a test of the agent from its message. */
export function CreateTestCase(props: Props): ReactNode {
  // The dialog stays mounted after its first opening, because it returns the focus when it closes.
  const [wanted, setWanted] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  return wanted && <Editing {...props} />;
}

function Editing({ item, message, opened, onClose }: Props): ReactNode {
  const say = useTexts(testTexts);
  const params = { org_id: useOrganization().id, agent_id: item.agent_id };
  const suite = useRead('readSuite', { params });
  const store = useAct('setSuite', { refresh: ['readSuite'] });
  const [made] = useState(() => caseFrom(item, message));
  if (suite.error && opened) return <ProblemAlert problem={suite.error} onRetry={() => void suite.refetch()} />;
  const save = (one: TestCase): void => {
    const cases = suite.data!.cases;
    store.mutate(
      { params, body: { cases: [...cases, withFreeName(one, cases)] } },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('saved'));
        },
      },
    );
  };
  return (
    <CaseDialog
      opened={opened && suite.data !== undefined}
      item={made}
      isNew
      lead={say('from_conversation')}
      busy={store.isPending}
      problem={store.error}
      onClose={onClose}
      onSave={save}
    />
  );
}
