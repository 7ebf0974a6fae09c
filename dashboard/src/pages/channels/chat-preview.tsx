import { isLightColor, Text } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { type SettingsValues, valueName } from './settings-values.ts';
import { texts } from './texts.ts';
import classes from './chat-preview.module.css';

/** The color of a chat without its own color. */
export const USUAL_COLOR = '#0b7a75';
export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);
/** Above this luminance, the text is black, as in the widget (widget/src/style.ts). */
const LIGHT = 0.179;

/** Shows a preview of the chat with its unsaved fields. */
export function ChatPreview({ values }: { values: SettingsValues }): ReactNode {
  const say = useTexts(texts);
  const of = (name: string): string => values[valueName(name)]?.trim() ?? '';
  const color = isColor(of('color')) ? of('color') : USUAL_COLOR;
  const style = { '--chat': color, '--on-chat': isLightColor(color, LIGHT) ? '#000000' : '#ffffff' };
  const questions = of('suggestions')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {say('look')}
      </Text>
      <div
        className={classes.site}
        data-corner={of('position') || 'end'}
        role="img"
        aria-label={say('look_of')}
        style={style as CSSProperties}
      >
        <div className={classes.panel}>
          <div className={classes.head}>
            {of('avatar') !== '' && <span className={classes.avatar}>{of('avatar')}</span>}
            <span className={classes.title} dir="auto">
              {of('title') || say('usual_title')}
            </span>
          </div>
          <p className={classes.greeting} dir="auto">
            {of('greeting') || say('usual_greeting')}
          </p>
          <p className={classes.questions}>
            {questions.slice(0, MAX_QUESTIONS).map((text, index) => (
              <span key={index} className={classes.question} dir="auto">
                {text}
              </span>
            ))}
          </p>
        </div>
        <span className={classes.launcher}>
          <IconMessageCircle size={22} />
        </span>
      </div>
    </div>
  );
}

/** The maximum in the contract. */
const MAX_QUESTIONS = 4;
