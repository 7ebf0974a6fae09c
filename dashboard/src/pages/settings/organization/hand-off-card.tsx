import { Button, Select, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import {
  HAND_OFF_RECIPIENTS,
  type HandOffRules,
  MAX_OUTSIDE_CHARACTERS,
} from '../../../../../contract/dashboard/hand-offs.ts';
import type { Problem } from '../../../api/client.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { browserTimeZone } from '../../../parts/browser-time-zone.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { unplaced } from '../../../parts/use-checked-form.ts';
import { atLeast, useMay, useOrganization } from '../../../session/session.ts';
import { EditorContext, type Editor } from '../../../parts/editor/editor.ts';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { texts } from '../texts.ts';
import { HoursFields } from './hours-fields.tsx';
import { handOffTexts } from './hand-off-texts.ts';
import { type HandOffDraft, useHandOffDraft } from './use-hand-off-draft.ts';

/** The card sets who gets hand-offs, and the message outside working hours. */
export function HandOffCard(): ReactNode {
  const say = useTexts(handOffTexts);
  const org_id = useOrganization().id;
  const read = useRead('readHandOffRules', { params: { org_id } });
  /** The rules at the start of editing. Null: nothing is edited. */
  const [base, setBase] = useState<HandOffRules | null>(null);
  const shown = base ?? read.data;
  if (shown)
    return (
      <Form
        key={`${org_id} ${JSON.stringify(shown)}`}
        stored={shown}
        overtaken={base !== null && JSON.stringify(base) !== JSON.stringify(read.data)}
        onEdit={() => setBase(shown)}
        onSaved={() => setBase(null)}
        isOvertaken={async () => JSON.stringify((await read.refetch()).data ?? shown) !== JSON.stringify(shown)}
      />
    );
  return (
    <Card title={say('hand_offs')} description={say('hint')}>
      {read.isPending ? <Skeleton h={60} /> : <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />}
    </Card>
  );
}

type FormProps = {
  stored: HandOffRules;
  /** True: another member changed the rules since the start of editing. */
  overtaken: boolean;
  onEdit: () => void;
  onSaved: () => void;
  /** Reads the rules again, because the page may not know yet that another member saved. */
  isOvertaken: () => Promise<boolean>;
};

function Form({ stored, overtaken, onEdit, onSaved, isOvertaken }: FormProps): ReactNode {
  const say = useTexts(handOffTexts);
  const saySettings = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const may = useMay('admin');
  const {
    draft,
    faults,
    edited,
    change: set,
    body,
  } = useHandOffDraft(stored, organization.time_zone ?? browserTimeZone());
  const save = useAct('setHandOffRules', { refresh: ['readHandOffRules', 'listAudit'] });
  const [isChecking, setChecking] = useState(false);
  const isBusy = isChecking || save.isPending;
  const change: typeof set = (part) => {
    onEdit();
    set(part);
  };
  const done = (): void => {
    onSaved();
    notifyDone(say('saved'));
  };
  const send = async (rules: HandOffRules): Promise<void> => {
    setChecking(true);
    const isLate = !overtaken && (await isOvertaken());
    setChecking(false);
    if (isLate) return;
    save.mutate({ params: { org_id: organization.id }, body: rules }, { onSuccess: done });
  };
  const role = sayCommon(`role_${organization.role}`);
  // The saved rules replace the fields, and text that was typed during the saving would be lost.
  const readOnly = !may || isBusy;
  const shared = { draft, change, readOnly };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const rules = body();
        if (rules) void send(rules);
      }}
    >
      <Card
        title={say('hand_offs')}
        description={say('hint')}
        footer={
          may ? (
            <Button type="submit" disabled={!edited} loading={isBusy}>
              {sayCommon('save')}
            </Button>
          ) : (
            <Text size="sm" c="dimmed" me="auto">
              {saySettings('admins_only', { role })}
            </Text>
          )
        }
      >
        <Stack>
          <Recipient {...shared} fault={faults.includes('member')} />
          <Switch
            label={say('hours')}
            description={say('hours_hint')}
            checked={draft.hasHours}
            disabled={readOnly}
            onChange={(event) => change({ hasHours: event.currentTarget.checked })}
          />
          {draft.hasHours && <HoursFields {...shared} faults={faults} />}
          {draft.hasHours && <Outside {...shared} problem={save.error} />}
          {overtaken && (
            <Text size="sm" c="orange.9" role="alert">
              {say('overtaken')}
            </Text>
          )}
          {left(save.error) && <ProblemAlert problem={left(save.error)} />}
        </Stack>
      </Card>
    </form>
  );
}

const left = (problem: Problem | null): Problem | null =>
  unplaced(problem, ({ pointer }) => pointer.startsWith('/outside'));

type Part = { draft: HandOffDraft; change: (part: Partial<HandOffDraft>) => void; readOnly: boolean };

function Recipient({ draft: { goesTo, userId }, change, readOnly, fault }: Part & { fault: boolean }): ReactNode {
  const say = useTexts(handOffTexts);
  const org_id = useOrganization().id;
  const members = useRead('listMembers', { params: { org_id } }, { staleTime: 30_000 });
  const able = (members.data?.data ?? []).filter(({ role }) => atLeast(role, 'member'));
  return (
    <>
      <Select
        label={say('goes_to')}
        description={goesTo === 'present' ? say('present_hint') : undefined}
        maw={420}
        allowDeselect={false}
        disabled={readOnly}
        data={HAND_OFF_RECIPIENTS.map((value) => ({ value, label: say(`to_${value}`) }))}
        value={goesTo}
        onChange={(value) => value && change({ goesTo: value })}
      />
      {goesTo === 'member' && (
        <Select
          label={say('member')}
          maw={420}
          searchable
          withAsterisk
          disabled={readOnly}
          nothingFoundMessage={say('no_such_member')}
          data={able.map(({ user_id, name }) => ({ value: user_id, label: name }))}
          value={userId}
          error={fault && say('member_missing')}
          onChange={(value) => change({ userId: value })}
        />
      )}
    </>
  );
}

function Outside({ draft, change, readOnly, problem }: Part & { problem: Problem | null }): ReactNode {
  const say = useTexts(handOffTexts);
  const fault = (pointer: string): string | null =>
    problem?.faults.find((one) => one.pointer === pointer)?.detail ?? null;
  // The text field is a part of the agent editor and requires one, but this page has no definition.
  const editor: Editor = {
    definition: {},
    change: () => {},
    fault,
    faulty: (pointer) => fault(pointer) !== null,
    readOnly,
    variables: [],
  };
  return (
    <EditorContext value={editor}>
      <LocalizedField
        label={say('outside')}
        hint={say('outside_hint', { max: number(say.language, MAX_OUTSIDE_CHARACTERS) })}
        value={draft.outside}
        onChange={(outside) => change({ outside: outside ?? {} })}
        pointer="/outside"
        rows={3}
      />
    </EditorContext>
  );
}
