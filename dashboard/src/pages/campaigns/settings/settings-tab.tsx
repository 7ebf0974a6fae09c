import { Alert, Button, Group, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useTextVariables } from '../../../parts/playground/call-data.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useMay, useOrganization } from '../../../session/session.ts';
import editorClasses from '../../../parts/editor/editor-page.module.css';
import { EditorContext } from '../../../parts/editor/editor.ts';
import { DeleteCampaign } from '../delete-campaign.tsx';
import { OpeningCard } from './opening-card.tsx';
import { PreviewCard } from './preview-card.tsx';
import { SendingTimesCard } from './sending-times-card.tsx';
import { TestCard } from './test-card.tsx';
import type { SettingsDraft } from './use-settings-draft.ts';
import { texts } from './texts.ts';
import classes from './settings.module.css';

type Props = { item: CampaignRecord; draft: SettingsDraft };

/** The tab has the first message, schedule and rate limit, with a preview next to them. */
export function SettingsTab({ item, draft }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { role } = useOrganization();
  const may = useMay('member');
  const { readOnly } = draft.editor;
  const variables = useTextVariables(item.agent_id, undefined);
  const note =
    item.state === 'ended'
      ? say('note_ended')
      : may
        ? say(`note_${item.state}`)
        : say('note_role', { role: sayCommon(`role_${role}`) });
  return (
    <EditorContext.Provider value={{ ...draft.editor, variables }}>
      <Alert color="gray" icon={<IconInfoCircle size={18} />} mb="lg">
        {note}
      </Alert>
      <div className={editorClasses.columns}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            draft.save(() => notifyDone(say('saved')));
          }}
        >
          {!readOnly && <SaveBar draft={draft} />}
          <OpeningCard item={item} draft={draft} />
          <div className={classes.section}>
            <SendingTimesCard draft={draft} />
          </div>
        </form>
        <div className={editorClasses.beside}>
          <PreviewCard item={item} draft={draft} />
          {!readOnly && (
            <div className={classes.section}>
              <TestCard item={item} draft={draft} />
            </div>
          )}
        </div>
      </div>
      {may && <DeleteCampaign item={item} />}
    </EditorContext.Provider>
  );
}

function SaveBar({ draft }: { draft: SettingsDraft }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  return (
    <div className={editorClasses.bar} role="region" aria-label={sayCommon('save')}>
      <div className={editorClasses.barWords}>
        <Text size="sm" role="status" fw={550}>
          {say(draft.dirty ? 'unsaved' : 'all_saved')}
        </Text>
        {draft.overtaken && (
          <Text size="xs" c="orange.9">
            {say('overtaken')}
          </Text>
        )}
        {draft.faults.length > 0 && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {say('faults', { count: draft.faults.length })} <bdi>{draft.faults[0]!.detail}</bdi>
          </Text>
        )}
        {draft.problem && <ProblemAlert problem={draft.problem} />}
      </div>
      <Group gap="xs">
        {draft.dirty && (
          <Button variant="subtle" color="gray" onClick={draft.discard} disabled={draft.busy}>
            {say('discard')}
          </Button>
        )}
        <Button type="submit" disabled={!draft.dirty} loading={draft.busy}>
          {sayCommon('save')}
        </Button>
      </Group>
    </div>
  );
}
