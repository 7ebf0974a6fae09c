import { useState } from 'react';
import type { CampaignSettings } from '../../../../../contract/campaigns.ts';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import type { Fault } from '../../../../../contract/problems.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { useNewerDraft } from '../../../parts/use-newer-draft.ts';
import { useStoredDraft } from '../../../parts/use-stored-draft.ts';
import { useFocus } from '../../../parts/use-focus.ts';
import { useOrganization } from '../../../session/session.ts';
import type { Editor } from '../../../parts/editor/editor.ts';
import { READ_AGAIN } from '../search.ts';
import { faultsOf, settingsOf, valuesOf, type Values } from './settings-values.ts';
import { texts } from './texts.ts';

type Edited = { base: string; values: Values };
export type SettingsDraft = ReturnType<typeof useSettingsDraft>;

/** Holds the settings during editing, until they are saved or discarded. */
export function useSettingsDraft(item: CampaignRecord, readOnly: boolean) {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [edited, setEdited] = useStoredDraft<Edited>(`parley.campaign-settings.${item.id}`, readOnly);
  const [refused, setRefused] = useState<readonly Fault[]>([]);
  // Missing values are reported when the user saves, not during typing.
  const [tried, setTried] = useState(false);
  const focusOn = useFocus();
  const update = useAct('updateCampaign', { refresh: READ_AGAIN });

  const editedSince = useNewerDraft(edited);
  const stored = JSON.stringify(item.settings);
  const values = edited?.values ?? valuesOf(item.settings);
  const settings = settingsOf(values);
  const known = faultsOf(values).map(({ pointer, word }) => ({ pointer, detail: say(word) }));
  // Incomplete settings may be equal to the stored settings.
  const dirty = edited !== null && (known.length > 0 || !isSame(settings, settingsOf(valuesOf(item.settings))));
  const faults = [...(tried ? known : []), ...refused];
  const forget = (): void => {
    setEdited(null);
    setRefused([]);
    setTried(false);
    update.reset();
  };
  /** The parts of the agent's editor require an editor, but use it on this page only to show faults. */
  const editor: Editor = {
    definition: {},
    change: () => {},
    readOnly,
    fault: (pointer) => faults.find((one) => one.pointer === pointer)?.detail ?? null,
    faulty: (pointer) => faults.some((one) => `${one.pointer}/`.startsWith(`${pointer}/`)),
  };
  return {
    values,
    settings,
    dirty,
    editor,
    faults,
    /** False if the checks in the browser find a fault, so that the server would refuse the settings. */
    isWhole: known.length === 0,
    overtaken: dirty && edited !== null && edited.base !== stored,
    busy: update.isPending,
    problem: update.error && update.error.faults.length === 0 ? update.error : null,
    change: (part: Partial<Values>) => {
      setRefused([]);
      setEdited({ base: dirty ? edited.base : stored, values: { ...values, ...part } });
    },
    discard: forget,
    save: (onSaved: () => void) => {
      setTried(true);
      if (known.length > 0) return focusOn(firstFault);
      update.mutate(
        { params: { org_id, campaign_id: item.id }, body: { settings } },
        {
          onSuccess: (saved) => {
            forget();
            const later = editedSince();
            if (later) setEdited({ ...later, base: JSON.stringify(saved.settings) });
            onSaved();
          },
          onError: ({ faults: ofServer }) => {
            setRefused(ofServer.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/settings/, '') })));
            if (ofServer.length > 0) focusOn(firstFault);
          },
        },
      );
    },
  };
}

const isSame = (one: CampaignSettings, other: CampaignSettings): boolean => canonical(one) === canonical(other);

/** The database sorts the members of an object in its own order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const firstFault = () => document.querySelector<HTMLElement>('[aria-invalid=true]');
