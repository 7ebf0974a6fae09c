import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Problem } from '../api/client.ts';
import { arabicTitle } from '../language/arabic-titles.ts';
import { common } from '../language/common.ts';
import { sayIn, useLanguage, useTexts } from '../language/texts.tsx';
import type { Language } from '../preferences.ts';

type Props = { problem: unknown; onRetry?: () => void; title?: string; detail?: string };

/** Shows the error as text, with the request ID for support. */
export function ProblemAlert({ problem, onRetry, title, detail }: Props): ReactNode {
  const say = useTexts(common);
  const text = useProblemText(problem);
  const sentence = detail ?? text.detail;
  const requestId = problem instanceof Problem ? problem.requestId : null;
  return (
    <Alert color="red" icon={<IconAlertCircle size={18} />} title={title ?? text.title} role="alert">
      <Stack gap="xs" align="flex-start">
        {sentence && (
          <Text size="sm" dir="auto">
            {sentence}
          </Text>
        )}
        {requestId && (
          <Text size="xs">
            {say('request_id')}: <Code className="ltr">{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {say('retry')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

type ProblemText = { title: string; detail: string };

export const useProblemText = (problem: unknown): ProblemText => problemText(problem, useLanguage());

export function problemText(problem: unknown, language: Language): ProblemText {
  const say = sayIn(common, language);
  if (!(problem instanceof Problem)) return { title: say('answer_unreadable_title'), detail: '' };
  if (problem.code === 'connection_lost' || problem.code === 'answer_unreadable')
    return { title: say(`${problem.code}_title`), detail: say(problem.code) };
  const arabic = language === 'ar' ? arabicTitle(problem.code) : undefined;
  if (arabic) return { title: arabic, detail: '' };
  // A detail that only repeats the title is not shown.
  return { title: problem.title, detail: problem.message === `${problem.title}.` ? '' : problem.message };
}
