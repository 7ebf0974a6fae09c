import { Select, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tool } from '../../../../../contract/agents.ts';
import { MAX_APPROVAL_MINUTES } from '../../../../../contract/approval-limits.ts';
import { useTexts } from '../../../language/texts.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { useEditor } from '../../../parts/editor/editor.ts';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { toolTexts } from './tool-texts.ts';
import classes from '../agents.module.css';

type Props = { tool: Tool; set: (part: Partial<Tool>) => void; pointer: string };

/** The switch sets one day as the time for a decision. */
const APPROVAL_MINUTES = 1_440;

/**
 * Sets whether a call changes data, its time limit, whether it may be repeated, and whether the person must agree
 * first.
 */
export function ToolEffect({ tool, set, pointer }: Props): ReactNode {
  const say = useTexts(toolTexts);
  const { fault, readOnly } = useEditor();
  const reads = tool.read_only === true;
  return (
    <>
      <div className={classes.row}>
        <Select
          label={say('effect')}
          allowDeselect={false}
          readOnly={readOnly}
          value={reads ? 'reads' : 'acts'}
          error={fault(`${pointer}/read_only`)}
          data={(['acts', 'reads'] as const).map((value) => ({ value, label: say(`effect_${value}`) }))}
          onChange={(value) =>
            set(value === 'reads' ? { read_only: true } : { read_only: undefined, retries: undefined })
          }
        />
        <NumberField
          label={say('timeout')}
          min={1}
          max={30}
          placeholder="10"
          readOnly={readOnly}
          value={tool.timeout_seconds}
          error={fault(`${pointer}/timeout_seconds`)}
          onChange={(seconds) => set({ timeout_seconds: seconds })}
        />
        {(reads || tool.retries !== undefined) && (
          <NumberField
            label={say('retries')}
            description={say('retries_hint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={0}
            max={3}
            placeholder="0"
            readOnly={readOnly}
            value={tool.retries}
            error={fault(`${pointer}/retries`)}
            onChange={(retries) => set({ retries })}
          />
        )}
      </div>
      <LocalizedField
        label={say('confirm')}
        hint={say('confirm_hint')}
        value={tool.confirm}
        pointer={`${pointer}/confirm`}
        onChange={(confirm) => set({ confirm })}
      />
      <Switch
        label={say('approval')}
        description={say('approval_hint')}
        disabled={readOnly}
        checked={tool.approval !== undefined}
        onChange={(event) =>
          set({ approval: event.currentTarget.checked ? { timeout_minutes: APPROVAL_MINUTES } : undefined })
        }
      />
      {tool.approval && (
        <NumberField
          label={say('approval_timeout')}
          min={1}
          max={MAX_APPROVAL_MINUTES}
          readOnly={readOnly}
          value={tool.approval.timeout_minutes}
          error={fault(`${pointer}/approval/timeout_minutes`)}
          onChange={(minutes) => set({ approval: { timeout_minutes: minutes ?? APPROVAL_MINUTES } })}
        />
      )}
    </>
  );
}
