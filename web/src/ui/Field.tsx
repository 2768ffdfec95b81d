import { Eye, EyeOff } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useState,
} from 'react'
import { Button } from './Button.tsx'
import { cx } from './cx.ts'

const control =
  'w-full rounded-control border border-control/70 bg-page px-2.5 text-14 text-text transition-colors duration-120 hover:border-control focus:border-signal-text focus:outline-1 focus:outline-signal-text focus:outline-offset-0 disabled:opacity-60 aria-invalid:border-bad aria-invalid:outline-bad not-[select]:read-only:bg-raised'

type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
  children: (ids: { id: string; describedBy?: string; invalid: boolean }) => ReactNode
  className?: string
  aside?: ReactNode
}

/** A label, its control, and the line below that says what is wrong or how it is meant. */
export function Field({ label, hint, error, children, className, aside }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={cx('flex flex-col gap-1.5', className)}>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-13 font-medium">
          {label}
        </label>
        {aside}
      </div>
      {children({ id, describedBy: note ? `${id}-note` : undefined, invalid: Boolean(error) })}
      {note ? (
        <p id={`${id}-note`} className={cx('text-12', error ? 'text-bad' : 'text-faint')} role={error ? 'alert' : undefined}>
          {note}
        </p>
      ) : null}
    </div>
  )
}

type Labelled = { label: ReactNode; hint?: ReactNode; error?: ReactNode; aside?: ReactNode; fieldClassName?: string }
type Wired = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }

/** A field whose control is one element: what is the label's goes to it, the rest to the element. */
function Labelled<P extends Labelled>({ of, children }: { of: P; children: (wired: Wired & Omit<P, keyof Labelled>) => ReactNode }) {
  const { label, hint, error, aside, fieldClassName, ...input } = of
  return (
    <Field label={label} hint={hint} error={error} aside={aside} className={fieldClassName}>
      {({ id, describedBy, invalid }) => children({ id, 'aria-describedby': describedBy, 'aria-invalid': invalid || undefined, ...input })}
    </Field>
  )
}

export function TextField(props: Labelled & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  return (
    <Labelled of={props}>
      {({ className, ...input }) => <input className={cx(control, 'h-9 max-md:h-11', className)} {...input} />}
    </Labelled>
  )
}

export function TextArea(props: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  return (
    <Labelled of={props}>
      {({ className, ...input }) => <textarea className={cx(control, 'min-h-24 py-2', className)} {...input} />}
    </Labelled>
  )
}

export function SelectField(props: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Labelled of={props}>
      {({ className, ...input }) => <select className={cx(control, 'h-9 max-md:h-11', className)} {...input} />}
    </Labelled>
  )
}

/** The options of a select, each a value with its name. */
export function Options({ of = [] }: { of: readonly (readonly [value: string | number, name: ReactNode])[] | undefined }) {
  return of.map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))
}

export function PasswordField({ label, hint, error, aside, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const [shown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {({ id, describedBy, invalid }) => (
        <div className="relative">
          <input
            id={id}
            type={shown ? 'text' : 'password'}
            aria-describedby={describedBy}
            aria-invalid={invalid || undefined}
            className={cx(control, 'h-9 pr-10 max-md:h-11')}
            {...input}
          />
          <button
            type="button"
            aria-label={shown ? 'Hide password' : 'Show password'}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-control text-faint hover:text-text"
          >
            {shown ? <EyeOff className="size-4" /> : <Eye className="size-4" />}
          </button>
        </div>
      )}
    </Field>
  )
}

export function Checkbox({ children, className, ...input }: InputHTMLAttributes<HTMLInputElement> & { children: ReactNode }) {
  return (
    <label className={cx('flex items-start gap-2.5 text-13 text-muted max-md:min-h-8', className)}>
      <input
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 appearance-none rounded-[4px] border border-control bg-page bg-center bg-no-repeat checked:border-signal checked:bg-signal checked:bg-[url(./check.svg)]"
        {...input}
      />
      <span>{children}</span>
    </label>
  )
}

export function Switch({
  checked,
  onChange,
  label,
  disabled,
}: {
  checked: boolean
  onChange: (next: boolean) => void
  label: string
  disabled?: boolean
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className={cx(
        'relative h-5 w-9 shrink-0 rounded-full border transition-colors duration-120 disabled:opacity-50',
        checked ? 'border-signal bg-signal' : 'border-control bg-raised',
      )}
    >
      <span
        className={cx(
          'absolute top-[2px] size-3.5 rounded-full transition-[left] duration-120 ease-out',
          checked ? 'left-[18px] bg-ink' : 'left-[3px] bg-muted',
        )}
      />
    </button>
  )
}

/** A search that is sent with Enter or its button. `value` is the search that the list shows now. */
export function SearchForm({ label, value, onSearch }: { label: string; value: string; onSearch: (words: string) => void }) {
  return (
    <form
      className="ml-auto flex gap-2 max-md:w-full"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(String(new FormData(event.currentTarget).get('q') ?? '').trim())
      }}
    >
      <input
        key={value}
        name="q"
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        maxLength={100}
        className="h-8 min-w-0 flex-1 rounded-control border border-control/70 bg-page px-2.5 text-13 max-md:h-11 md:w-56"
      />
      <Button type="submit">Search</Button>
    </form>
  )
}

/** A search that is heard a moment after the last key. */
export function SearchAsTyped({
  query,
  onChange,
  ...props
}: { query: string; onChange: (query: string) => void } & Pick<InputHTMLAttributes<HTMLInputElement>, 'placeholder' | 'maxLength'>) {
  const [typed, setTyped] = useState(query)
  useEffect(() => {
    if (typed.trim() === query) return
    const timer = setTimeout(() => onChange(typed.trim()), 250)
    return () => clearTimeout(timer)
  }, [typed, query, onChange])
  return (
    <TextField
      label="Search"
      type="search"
      fieldClassName="max-lg:col-span-2"
      autoComplete="off"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      {...props}
    />
  )
}
