import { Options, SelectField } from '../../../ui/Field.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import type { EmailDocument } from '../queries.ts'

type Look = EmailDocument['theme']
const fonts = { sans: 'Sans serif', serif: 'Serif', mono: 'Monospace' } as const
const frames = { panel: 'Panel on a tinted page', plain: 'Plain page' } as const

export function Theme({ document: { theme }, onChange }: { document: EmailDocument; onChange: (theme: Look) => void }) {
  return (
    <Panel title="Look">
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Font" value={theme.font} onChange={(event) => onChange({ ...theme, font: event.target.value as Look['font'] })}>
          <Options of={Object.entries(fonts)} />
        </SelectField>
        <SelectField
          label="Frame"
          value={theme.frame}
          onChange={(event) => onChange({ ...theme, frame: event.target.value as Look['frame'] })}
        >
          <Options of={Object.entries(frames)} />
        </SelectField>
        <label className="flex items-center gap-3 text-13 font-medium">
          Accent
          <input
            type="color"
            value={theme.accent}
            onChange={(event) => onChange({ ...theme, accent: event.target.value })}
            className="h-9 w-14 rounded-control border border-control/70 bg-page p-1 max-md:h-11"
          />
        </label>
      </div>
    </Panel>
  )
}
