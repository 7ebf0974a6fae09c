import { MultiSelect, Stack, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AgentDefinition } from '../../../../../contract/agents.ts';
import { SURVEY_CHANNELS, SURVEY_TEXTS } from '../../../../../contract/ratings.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { kindNames } from '../../../parts/channels/kind-names.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { surveyTexts } from './survey-texts.ts';

type Survey = NonNullable<AgentDefinition['survey']>;

/** The card sets the question after a conversation. A definition without the question asks for no rating. */
export function SurveyCard(): ReactNode {
  const say = useTexts(surveyTexts);
  const sayKind = useTexts(kindNames);
  const { definition, change, fault, readOnly } = useEditor();
  const { survey } = definition;
  const set = (part: Partial<Survey>): void => change({ survey: { ...survey, ...part } });
  const texts = say.language === 'ar' ? SURVEY_TEXTS.ar : SURVEY_TEXTS.en;
  return (
    <Card title={say('title')} description={say('hint')}>
      <Stack gap="lg">
        <Switch
          label={say('on')}
          checked={survey !== undefined}
          disabled={readOnly}
          onChange={({ currentTarget: { checked } }) => change({ survey: checked ? {} : undefined })}
        />
        {survey && (
          <>
            <LocalizedField
              label={say('question')}
              hint={say('empty', { text: texts.question })}
              value={survey.question}
              pointer="/survey/question"
              onChange={(question) => set({ question })}
            />
            <LocalizedField
              label={say('thanks')}
              hint={say('empty', { text: texts.thanks })}
              value={survey.thanks}
              pointer="/survey/thanks"
              onChange={(thanks) => set({ thanks })}
            />
            <MultiSelect
              label={say('channels')}
              description={say('channels_hint')}
              placeholder={survey.channels?.length ? undefined : say('all_channels')}
              maw={520}
              readOnly={readOnly}
              clearable
              error={fault('/survey/channels')}
              value={survey.channels ?? []}
              data={SURVEY_CHANNELS.map((kind) => ({ value: kind, label: sayKind(`kind_${kind}`) }))}
              onChange={(kinds) => set({ channels: SURVEY_CHANNELS.filter((kind) => kinds.includes(kind)) })}
            />
          </>
        )}
      </Stack>
    </Card>
  );
}
