import { useId, useRef, type KeyboardEvent, type ReactElement, type ReactNode, type ToggleEvent } from 'react';
import { placeBeside } from './place-beside.ts';
import classes from './popup.module.css';

type Props = {
  label: string;
  align?: 'start' | 'end';
  /** The button that opens it; it must pass these on. */
  button: (opener: OpenerProps) => ReactElement;
  children: ReactNode;
};
type OpenerProps = { popoverTarget: string; 'aria-haspopup': 'menu' };

/**
 * A menu on the browser's own popover: it opens above everything, closes on Esc and on a click elsewhere, and gives
 * the focus back to its button. Arrows go through the items.
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

/** What is in a menu and is no item of it: a heading, a line, other controls. */
export const MenuPart = ({ children }: { children: ReactNode }): ReactNode => (
  <div role="group" className={classes.part}>
    {children}
  </div>
);
export const MenuLine = (): ReactNode => <div role="separator" className={classes.line} />;

const itemsOf = (panel: HTMLElement): HTMLElement[] => [
  ...panel.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)'),
];

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  // Controls inside, such as the choice of the theme, have arrows of their own.
  if (at === -1) return;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  items[to % items.length]?.focus();
}
