import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { KEY_LIMITS, type LowerKeyLimitsBody } from '../../../../contract/key-limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { notifyDone } from '../notify.tsx';
import { useCheckedForm } from '../use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { isLimit, LimitFields, limitsOf, textsOf } from './limits-field.tsx';
import { texts } from './texts.ts';

export function LimitsDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog
      opened={item !== null}
      onClose={onClose}
      title={item && say('limits_title', { label: `\u2068${item.label}\u2069` })}
    >
      {item && <Lower item={item} onClose={onClose} />}
    </Dialog>
  );
}

function Lower({ item, onClose }: { item: KeyRecord; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const lower = useAct('lowerKeyLimits', { refresh: ['listKeys', 'readKey', 'listAudit'] });
  const before = textsOf(item.limits);
  const check = (value: string): string | null => (isLimit(value) ? null : say('limit_invalid'));
  const form = useCheckedForm(before, () => ({ per_minute: check, per_end_user_per_minute: check, total: check }));
  const submit = form.submit((texts) => {
    const limits = limitsOf(texts);
    const changed = KEY_LIMITS.filter((name) => limits[name] !== item.limits?.[name]);
    if (changed.length === 0) return onClose();
    // An emptied field asks to remove the limit, and the server's refusal is shown beside the field.
    const body: LowerKeyLimitsBody = Object.fromEntries(changed.map((name) => [name, limits[name] ?? null]));
    lower.mutate(
      { params: { org_id, key_id: item.id }, body },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('limits_lowered'));
        },
        onError: form.place,
      },
    );
  });
  const isCampaign = item.scope === 'campaign';
  return (
    <DialogForm
      onSubmit={submit}
      act={say('limits_act')}
      busy={lower.isPending}
      problem={form.unplaced(lower.error)}
      onCancel={onClose}
    >
      <Text size="sm">{say('limits_words')}</Text>
      <LimitFields inputOf={form.getInputProps} {...(isCampaign && { without: 'per_end_user_per_minute' })} />
    </DialogForm>
  );
}
