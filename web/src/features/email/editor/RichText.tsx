import { mergeFields } from '@operon/contracts/crm/email/merge'
import { Bold, Braces, Italic, Link2, List } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '../../../ui/Button.tsx'
import { TextArea } from '../../../ui/Field.tsx'
import { Menu, MenuItem } from '../../../ui/Menu.tsx'

type Props = { label: string; value: string; onChange: (text: string) => void; maxLength: number; hint?: string }

/** Words with the simple marks that an email knows, put around what is selected. */
export function RichText({ label, value, onChange, maxLength, hint }: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  /** `put` makes the new text of the selected words; what it returns is selected again. */
  function edit(put: (selected: string) => string) {
    const element = area.current!
    const { selectionStart: from, selectionEnd: to } = element
    const made = put(value.slice(from, to))
    onChange((value.slice(0, from) + made + value.slice(to)).slice(0, maxLength))
    requestAnimationFrame(() => {
      element.focus()
      element.setSelectionRange(from, from + made.length)
    })
  }
  const around = (mark: string) => edit((words) => `${mark}${words || 'words'}${mark}`)
  return (
    <TextArea
      ref={area}
      label={label}
      value={value}
      maxLength={maxLength}
      hint={hint}
      className="min-h-36"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (!(event.metaKey || event.ctrlKey) || event.altKey) return
        const mark = { b: '**', i: '*' }[event.key.toLowerCase()]
        if (!mark) return
        event.preventDefault()
        around(mark)
      }}
      aside={
        <span className="-my-1 flex">
          <IconButton label="Bold" hint="Ctrl B" onClick={() => around('**')}>
            <Bold />
          </IconButton>
          <IconButton label="Italic" hint="Ctrl I" onClick={() => around('*')}>
            <Italic />
          </IconButton>
          <IconButton label="Link" onClick={() => edit((words) => `[${words || 'label'}](https://)`)}>
            <Link2 />
          </IconButton>
          <IconButton
            label="List"
            onClick={() =>
              edit((words) =>
                (words || 'First point')
                  .split('\n')
                  .map((line) => `- ${line}`)
                  .join('\n'),
              )
            }
          >
            <List />
          </IconButton>
          <FieldMenu onPick={(field) => edit(() => field)} />
        </span>
      }
    />
  )
}

/** A merge field with a fallback, so that nobody reads a gap. */
export function FieldMenu({ onPick }: { onPick: (field: string) => void }) {
  const fallbacks: Record<string, string> = { first_name: 'there', name: 'there', last_name: '', company: 'your company' }
  return (
    <Menu
      trigger={(props) => (
        <IconButton label="Insert a field of the contact" {...props}>
          <Braces />
        </IconButton>
      )}
    >
      {mergeFields.map(({ name, label }) => (
        <MenuItem key={name} onSelect={() => onPick(fallbacks[name] ? `{{ ${name} | default: "${fallbacks[name]}" }}` : `{{ ${name} }}`)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
