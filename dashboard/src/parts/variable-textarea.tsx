import { Textarea, VisuallyHidden, type TextareaProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { useVariableList } from './use-variable-list.ts';
import { variableTexts } from './variable-texts.ts';
import classes from './variable-textarea.module.css';

type Props = Omit<TextareaProps, 'value' | 'onChange'> & {
  value: string;
  onText: (text: string) => void;
  /** The variables that `{{` offers. */
  variables: readonly string[];
};

/** Edits a text with variables. Two braces open a list of the known variables. */
export function VariableTextarea({ value, onText, variables, readOnly = false, ...rest }: Props): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useVariableList({ text: value, setText: onText, variables: readOnly ? [] : variables, field });
  const isOpen = list.options.length > 0;
  const combobox = isOpen && {
    role: 'combobox',
    'aria-expanded': true,
    'aria-controls': list.listId,
    'aria-activedescendant': `${list.listId}-${list.active}`,
    // Esc closes the list and not the surrounding dialog.
    'data-mantine-stop-propagation': true,
  };
  return (
    <div className={classes.field} onBlur={() => list.place(null)}>
      <Textarea
        ref={field}
        value={value}
        readOnly={readOnly}
        aria-autocomplete={variables.length > 0 && !readOnly ? 'list' : undefined}
        {...rest}
        {...combobox}
        onChange={(event) => {
          onText(event.currentTarget.value);
          list.place(event.currentTarget.selectionStart);
        }}
        onSelect={(event) => list.place(event.currentTarget.selectionStart)}
        onKeyDown={list.onKey}
      />
      {isOpen && <Options list={list} />}
    </div>
  );
}

function Options({ list }: { list: ReturnType<typeof useVariableList> }): ReactNode {
  const say = useTexts(variableTexts);
  return (
    <>
      <VisuallyHidden role="status">{say('variables_found', { count: list.options.length })}</VisuallyHidden>
      <ul id={list.listId} role="listbox" aria-label={say('variables')} className={classes.list}>
        {list.options.map((name, index) => (
          <li
            key={name}
            id={`${list.listId}-${index}`}
            role="option"
            aria-selected={index === list.active}
            className={classes.option}
            ref={(node) => void (index === list.active && node?.scrollIntoView({ block: 'nearest' }))}
            // The focus stays in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => list.choose(name)}
          >
            <code dir="ltr">{`{{${name}}}`}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
