import { fillFields, valuesOf } from '@operon/contracts/crm/email/merge'
import { renderEmail } from '@operon/contracts/crm/email/render'
import { Monitor, Moon, Smartphone, Sun } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { IconButton } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Panel } from '../../../ui/Panel.tsx'
import type { EmailDocument } from '../queries.ts'

/** Nobody here exists. The last one has no name, as some contacts have none. */
const people: { label: string; name: string; email: string; fields: Record<string, string> }[] = [
  { label: 'Ines Ortega, Harbour Café', name: 'Ines Ortega', email: 'ines@harbour-cafe.example', fields: { company: 'Harbour Café' } },
  { label: 'A contact without a name', name: '', email: 'hello@reed.example', fields: {} },
]
const nowhere = { unsubscribe: '#', preferences: '#' }

/** The email as a reader gets it, by the code that sends it. */
export function Preview({ document, subject, sender }: { document: EmailDocument; subject: string; sender: string | undefined }) {
  const [phone, setPhone] = useState(false)
  const [dark, setDark] = useState(false)
  const [who, setWho] = useState(0)
  const values = valuesOf(people[who]!)
  const html = useMemo(() => renderEmail(document, valuesOf(people[who]!), nowhere, dark ? 'dark' : 'light').html, [document, who, dark])
  return (
    <Panel flush className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5">
        <select
          aria-label="Shown for"
          value={who}
          onChange={(event) => setWho(Number(event.target.value))}
          className="h-8 min-w-0 flex-1 rounded-control border border-control/70 bg-page px-2 text-13 max-md:h-11"
        >
          {people.map(({ label }, at) => (
            <option key={label} value={at}>
              {label}
            </option>
          ))}
        </select>
        <span className="flex">
          <IconButton label="Wide" aria-pressed={!phone} className={cx(!phone && 'bg-raised !text-text')} onClick={() => setPhone(false)}>
            <Monitor />
          </IconButton>
          <IconButton label="Phone" aria-pressed={phone} className={cx(phone && 'bg-raised !text-text')} onClick={() => setPhone(true)}>
            <Smartphone />
          </IconButton>
          <IconButton label={dark ? 'Show in light' : 'Show in dark'} onClick={() => setDark(!dark)}>
            {dark ? <Sun /> : <Moon />}
          </IconButton>
        </span>
      </div>
      <div className="border-b border-line px-4 py-2.5 text-13">
        <p className="truncate text-12 text-faint">{sender ?? 'Your sender'}</p>
        <p className="truncate font-semibold">{fillFields(subject, values) || 'No subject yet'}</p>
        <p className="truncate text-muted">{fillFields(document.preview, values)}</p>
      </div>
      <EmailFrame html={html} phone={phone} />
    </Panel>
  )
}

const PHONE_PX = 390
/** Without scripts, and as tall as what it shows: the page scrolls, so a keystroke moves nothing. */
export function EmailFrame({ html, phone, title = 'Preview of the email' }: { html: string; phone?: boolean; title?: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(480)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown decides how tall it is
  useEffect(() => {
    const element = frame.current!
    const measure = () => {
      const root = element.contentDocument?.documentElement
      if (root) setHeight(Math.max(240, root.querySelector('body')?.scrollHeight ?? root.scrollHeight))
    }
    element.addEventListener('load', measure)
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    return () => {
      element.removeEventListener('load', measure)
      watcher.disconnect()
    }
  }, [html, phone])
  return (
    <div className="max-h-[calc(100dvh-16rem)] min-h-80 overflow-y-auto bg-raised">
      <iframe
        ref={frame}
        title={title}
        // The same origin so that it can be measured; nothing in it runs, and nothing in it can be pressed.
        sandbox="allow-same-origin"
        srcDoc={html}
        tabIndex={-1}
        className="pointer-events-none mx-auto block w-full"
        style={{ height, ...(phone && { maxWidth: PHONE_PX }) }}
      />
    </div>
  )
}
