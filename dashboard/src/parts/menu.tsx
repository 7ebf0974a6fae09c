import { IconCheck } from '@tabler/icons-react';
import { useId, useRef, type KeyboardEvent, type ReactElement, type ReactNode, type ToggleEvent } from 'react';
import { placeBeside } from './place-beside.ts';
import classes from './popup.module.css';

type Props = {
  label: string;
  align?: 'start' | 'end';
  /** The button that opens the menu. The button must pass the props of the opener on. */
  button: (opener: OpenerProps) => ReactElement;
  children: ReactNode;
};
type OpenerProps = { popoverTarget: string; 'aria-haspopup': 'menu' };

/**
 * A menu that uses the browser's popover. The menu opens above everything, closes on Esc or a click outside, and
 * returns the focus to its button. Arrow keys, and the first letter of an item, move through the items.
 */
export function Menu({ label, align = 'start', button, children }: Props): ReactNode {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const opened = ({ newState }: ToggleEvent<HTMLDivElement>): void => {
    const anchor = document.querySelector<HTMLElement>(`[popovertarget="${id}"]`);
    if (newState !== 'open' || !anchor || !panel.current) return;
    placeBeside(anchor, panel.current, align);
    itemsOf(panel.current)[0]?.focus();
  };
  return (
    <>
      {button({ popoverTarget: id, 'aria-haspopup': 'menu' })}
      <div
        ref={panel}
        id={id}
        role="menu"
        popover="auto"
        aria-label={label}
        className={classes.menu}
        onToggle={opened}
        onKeyDown={moveFocus}
        onClick={(event) => {
          if ((event.target as HTMLElement).closest('[role=menuitem]')) panel.current?.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

type ItemProps = { icon: ReactNode; children: ReactNode; end?: ReactNode; current?: boolean } & (
  | { onClick: () => void; disabled?: boolean; href?: undefined }
  | { href: string }
);

export function MenuItem({ icon, children, end, current, ...act }: ItemProps): ReactNode {
  const inside = (
    <>
      <span className={classes.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={classes.words}>{children}</span>
      {end}
    </>
  );
  if (act.href !== undefined)
    return (
      <a role="menuitem" className={classes.item} href={act.href} target="_blank" rel="noreferrer">
        {inside}
      </a>
    );
  return (
    <button
      type="button"
      role="menuitem"
      className={classes.item}
      onClick={act.onClick}
      disabled={act.disabled}
      aria-current={current || undefined}
    >
      {inside}
    </button>
  );
}

type CheckProps = { checked: boolean; onToggle: () => void; children: ReactNode };

/**
 * An item of a menu that is a switch. A change of the switch does not close the menu, so that the effect is visible.
 */
export const MenuCheck = ({ checked, onToggle, children }: CheckProps): ReactNode => (
  <button type="button" role="menuitemcheckbox" aria-checked={checked} className={classes.item} onClick={onToggle}>
    <span className={classes.icon} aria-hidden="true">
      {checked && <IconCheck size={16} />}
    </span>
    <span className={classes.words}>{children}</span>
  </button>
);

type ChoiceProps<T extends string> = {
  label: string;
  value: T;
  options: readonly { value: T; label: ReactNode }[];
  onChoose: (value: T) => void;
};

/**
 * An item of a menu with a few options in a row. The choice of an option does not close the menu, so that the effect is
 * visible.
 */
export function MenuChoice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>): ReactNode {
  return (
    <div role="group" aria-label={label} className={classes.choice}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          aria-checked={option.value === value}
          className={classes.option}
          onClick={() => onChoose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

/** Content of a menu that is not an item, such as a heading or a line. */
export const MenuPart = ({ children }: { children: ReactNode }): ReactNode => (
  <div role="group" className={classes.part}>
    {children}
  </div>
);
export const MenuLine = (): ReactNode => <div role="separator" className={classes.line} />;

const itemsOf = (panel: HTMLElement): HTMLElement[] => [
  ...panel.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)'),
];

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (at === -1) return;
  const { key } = event;
  const after = [...items.slice(at + 1), ...items.slice(0, at)];
  const named = after.findIndex(({ innerText }) => innerText.trim().toLowerCase().startsWith(key));
  const keys = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 };
  const to = keys[key as keyof typeof keys] ?? (named === -1 || event.ctrlKey ? undefined : at + 1 + named);
  if (to === undefined) return;
  event.preventDefault();
  items[to % items.length]?.focus();
}
