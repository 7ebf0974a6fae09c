import { useId, useRef, type ReactElement, type ReactNode } from 'react';
import { placeBeside } from './place-beside.ts';
import classes from './popup.module.css';

type Props = {
  label: ReactNode;
  /**
   * The element gets the props of `anchor`. The element must be focusable, so that the tip can be reached by keyboard.
   */
  children: (anchor: AnchorProps) => ReactElement;
};
type AnchorProps = {
  onMouseEnter: (event: { currentTarget: HTMLElement }) => void;
  onMouseLeave: () => void;
  onFocus: (event: { currentTarget: HTMLElement }) => void;
  onBlur: () => void;
  onKeyDown: (event: { key: string }) => void;
  'aria-describedby': string;
};

/** Shows more information about an element on hover or focus. The key Esc closes the tip. */
export function Tip({ label, children }: Props): ReactNode {
  const id = useId();
  const panel = useRef<HTMLSpanElement>(null);
  const show = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
    const tip = panel.current;
    if (!tip || tip.matches(':popover-open')) return;
    tip.showPopover();
    placeBeside(currentTarget, tip, 'center');
  };
  const hide = (): void => {
    if (panel.current?.matches(':popover-open')) panel.current.hidePopover();
  };
  return (
    <>
      {children({
        onMouseEnter: show,
        onMouseLeave: hide,
        onFocus: show,
        onBlur: hide,
        onKeyDown: ({ key }) => key === 'Escape' && hide(),
        'aria-describedby': id,
      })}
      <span ref={panel} id={id} role="tooltip" popover="manual" className={classes.tip}>
        {label}
      </span>
    </>
  );
}
