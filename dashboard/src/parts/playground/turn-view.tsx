import type { ReactNode } from 'react';
import type { PlaygroundTurn } from '../../../../contract/dashboard/agents.ts';
import { useTexts } from '../../language/texts.tsx';
import { AnswerSteps } from '../answer-steps.tsx';
import { texts } from './texts.ts';
import classes from './playground.module.css';

type Props = {
  turn: PlaygroundTurn;
  /** The minutes for which the person had been silent before this turn. Absent: the turn is an answer. */
  minutes: number | undefined;
  /** Sends the label of a choice as a message. The function is absent if the turn is not the last turn. */
  onChoose: ((label: string) => void) | undefined;
};

/**
 * Shows the agent's messages of one turn, and the reasons in a part that can be opened. All messages are shown as text,
 * whatever they contain.
 */
export function TurnView({ turn, minutes, onChoose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <div className={classes.turn}>
      {minutes !== undefined && <p className={classes.note}>{say('passed', { count: minutes })}</p>}
      {turn.messages.length === 0 && minutes === undefined && <p className={classes.note}>{say('silent')}</p>}
      {turn.messages.map(({ content, sources }, index) => (
        <div key={index} className={classes.theirs}>
          <p dir="auto">{'text' in content && content.text ? content.text : content.type}</p>
          {content.type === 'choices' && (
            <ul className={classes.choices}>
              {content.choices.map(({ id, label }) => (
                <li key={id}>
                  <button type="button" dir="auto" disabled={!onChoose} onClick={() => onChoose?.(label)}>
                    {label}
                  </button>
                </li>
              ))}
            </ul>
          )}
          {sources.map(({ document, quote }) => (
            <blockquote key={document + quote}>
              <cite>{say.rich('sources', { document: <bdi>{document}</bdi> })}</cite>
              <span dir="auto">{quote}</span>
            </blockquote>
          ))}
        </div>
      ))}
      <AnswerSteps {...turn.trace} />
    </div>
  );
}
