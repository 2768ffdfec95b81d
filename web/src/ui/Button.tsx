import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link, type LinkProps } from 'react-router-dom'
import { cx } from './cx.ts'
import { Busy } from './Mark.tsx'

export type ButtonLook = { variant?: 'primary' | 'secondary' | 'ghost' | 'danger'; size?: 'app' | 'public' | 'icon' }

const variants = {
  primary: 'bg-signal text-ink font-semibold hover:brightness-95 active:brightness-90',
  secondary: 'bg-panel text-text hairline hover:bg-raised hover:border-control',
  ghost: 'text-muted hover:bg-raised hover:text-text',
  danger: 'bg-bad-soft text-bad border border-bad/40 hover:border-bad',
}
const sizes = {
  app: 'h-8 px-3 text-13 max-md:min-h-11 max-md:px-4',
  public: 'h-10 px-4 text-14 max-md:min-h-11',
  icon: 'size-8 max-md:size-11',
}

export function buttonClass({ variant = 'secondary', size = 'app' }: ButtonLook = {}, className?: string) {
  return cx(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap select-none transition-[background-color,border-color,color,filter] duration-120 ease-out',
    'disabled:opacity-45 disabled:pointer-events-none aria-disabled:opacity-45 [&_.lucide]:size-4',
    variants[variant],
    sizes[size],
    className,
  )
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & ButtonLook & { busy?: boolean | string; children?: ReactNode }

export function Button({ variant, size, busy, className, children, disabled, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} className={buttonClass({ variant, size }, className)} disabled={disabled || Boolean(busy)} {...rest}>
      {busy ? <Busy label={typeof busy === 'string' ? busy : 'Working'} /> : null}
      {typeof busy === 'string' ? busy : children}
    </button>
  )
}

/** A square button of one icon. Its label is its name and its tooltip. */
export function IconButton({
  label,
  hint,
  tip = 'bottom',
  variant = 'ghost',
  className,
  ...rest
}: Omit<ButtonProps, 'size'> & { label: string; hint?: string; tip?: 'bottom' | 'right' }) {
  return (
    <Button
      variant={variant}
      size="icon"
      aria-label={label}
      data-tip={label}
      data-tip-keys={hint}
      data-tip-side={tip}
      className={className}
      {...rest}
    />
  )
}

export function ButtonLink({ variant, size, className, ...rest }: LinkProps & ButtonLook) {
  return <Link className={buttonClass({ variant, size }, className)} {...rest} />
}

type FileButtonProps = Pick<ButtonLook, 'size'> & {
  onFiles: (files: File[]) => void
  accept?: string
  multiple?: boolean
  disabled?: boolean
  children: ReactNode
}

/** Looks as a button and opens the system's dialog of files. The same file can be chosen twice. */
export function FileButton({ onFiles, accept, multiple, disabled, size, children }: FileButtonProps) {
  const focus = 'cursor-pointer focus-within:outline-2 focus-within:outline-signal-text'
  return (
    <label className={buttonClass(size ? { size } : {}, cx(focus, disabled && 'pointer-events-none opacity-45'))}>
      {children}
      <input
        type="file"
        multiple={multiple}
        accept={accept}
        disabled={disabled}
        className="sr-only"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
    </label>
  )
}
