import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import type { Say } from '../language/texts.tsx';
import { useMay } from '../session/session.ts';
import { notifyDone } from './notify.tsx';
import { ProblemAlert } from './problem-alert.tsx';

type Props = {
  say: Say<'enabled' | 'enabled_hint' | 'is_enabled' | 'is_disabled'>;
  enabled: boolean;
  toggle: { isPending: boolean; error: Problem | null };
  onToggle: (enabled: boolean) => Promise<unknown>;
};

/**
 * The switch enables or disables a record. The switch takes effect immediately, independent of other unsaved changes.
 */
export function EnabledSwitch({ say, enabled, toggle, onToggle }: Props): ReactNode {
  const may = useMay('member');
  const act = async (next: boolean): Promise<void> => {
    await onToggle(next);
    notifyDone(say(next ? 'is_enabled' : 'is_disabled'));
  };
  return (
    <>
      <Switch
        label={say('enabled')}
        description={say('enabled_hint')}
        checked={enabled}
        disabled={!may || toggle.isPending}
        // The refusal is shown below the switch.
        onChange={(event) => void act(event.currentTarget.checked).catch(() => {})}
      />
      {toggle.error && <ProblemAlert problem={toggle.error} />}
    </>
  );
}
