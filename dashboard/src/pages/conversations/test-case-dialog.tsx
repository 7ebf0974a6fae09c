import { useState, type ReactNode } from 'react';
import type { ConversationMessage, ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { CaseDialog } from '../../parts/test-cases/case-dialog.tsx';
import { caseFrom, withFreeName } from '../../parts/test-cases/case-from-message.ts';
import { testTexts } from '../../parts/test-cases/texts.ts';
import { useChangeSuite } from '../../parts/test-cases/use-change-suite.ts';

export type TestCaseProps = {
  item: ConversationRecord;
  message: ConversationMessage;
  opened: boolean;
  onClose: () => void;
};

export function TestCaseDialog({ item, message, opened, onClose }: TestCaseProps): ReactNode {
  const say = useTexts(testTexts);
  const change = useChangeSuite({ org_id: useOrganization().id, agent_id: item.agent_id });
  const [made] = useState(() => caseFrom(item, message));
  const done = (): void => {
    onClose();
    notifyDone(say('saved'));
  };
  return (
    <CaseDialog
      opened={opened}
      item={made}
      isNew
      lead={say('from_conversation')}
      busy={change.isPending}
      problem={change.error}
      onClose={onClose}
      onSave={(one) => change.mutate({ cases: (cases) => [...cases, withFreeName(one, cases)] }, { onSuccess: done })}
    />
  );
}
