import type { ReactNode } from 'react';
import type { NewKey } from '../../../../../contract/dashboard/keys.ts';
import { useTexts } from '../../../language/texts.tsx';
import { texts } from '../texts.ts';
import { CreateKeyForm } from './create-key-form.tsx';
import { dropDraft } from './draft.ts';
import { Dialog } from '../../dialog.tsx';
import { useShownOnce } from '../../shown-once.tsx';
import { ShownOnce } from './shown-once.tsx';

type Props = {
  opened: boolean;
  /** The preselected agent. */
  agentId: string | null;
  /** This function is called when the value is shown. The URL should record the key for a reload. */
  onMade?: (made: NewKey) => void;
  onClose: () => void;
};

/**
 * The dialog has two steps: the form, then the key, which is shown once. After the dialog closes, no part of the page
 * contains the value.
 */
export function CreateKeyDialog({ opened, agentId, onMade, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const { made, setMade, guard } = useShownOnce<NewKey>(onClose, ['listKeys', 'readOverview']);
  const cancel = (): void => {
    dropDraft();
    onClose();
  };
  return (
    <Dialog
      opened={opened || made !== null}
      onClose={made ? guard.ask : cancel}
      // An accidental click next to the form would lose the input.
      closeOnClickOutside={made !== null}
      title={say(made ? 'ready' : 'dialog_title')}
      size={made ? 720 : 940}
    >
      {made ? (
        <ShownOnce made={made} guard={guard} />
      ) : (
        <CreateKeyForm
          agentId={agentId}
          onCancel={cancel}
          onMade={(key) => {
            setMade(key);
            onMade?.(key);
          }}
        />
      )}
    </Dialog>
  );
}
