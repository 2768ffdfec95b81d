import { COMMANDS_KEPT } from '@operon/contracts/media/speech'
import { useQueryClient } from '@tanstack/react-query'
import { Volume2 } from 'lucide-react'
import { call, useCall } from '../../api/call.ts'
import { plainText } from '../../chat/useSpeechOutput.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { moment } from '../../ui/format.ts'
import { Asked, EmptyState, Panel } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'

/** The last ten commands, with what was understood and how surely. */
export function History({ onReadAloud }: { onReadAloud: (text: string) => void }) {
  const queries = useQueryClient()
  const history = useCall('voice-commands', {})
  const commands = history.data?.commands ?? []
  const clear = () =>
    attempt('Not cleared', async () => {
      await call('clear-voice-commands', {})
      await queries.invalidateQueries({ queryKey: ['voice-commands'] })
    })
  return (
    <Panel
      title={`Last ${COMMANDS_KEPT} commands`}
      flush
      actions={
        commands.length ? (
          <Button variant="ghost" onClick={() => void clear()}>
            Clear
          </Button>
        ) : undefined
      }
    >
      <Asked query={history} skeleton="m-4 h-16" failed="Your commands could not be loaded" />
      {history.isSuccess && commands.length === 0 ? (
        <EmptyState title="No commands yet" compact>
          Press the microphone and ask, for instance, “How many contacts do I have?”
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {commands.map(({ id, command, response, confidence, timestamp }) => (
          <li key={id} className="flex items-start gap-3 px-4 py-3">
            <div className="min-w-0 flex-1">
              <p className="truncate text-14">{command}</p>
              <p className="line-clamp-2 text-13 text-muted">{plainText(response)}</p>
              <p className="mt-1 text-12 text-faint">
                {moment(timestamp)}
                {confidence === null ? '' : `, ${Math.round(confidence * 100)}% sure`}
              </p>
            </div>
            <IconButton label="Read aloud" onClick={() => onReadAloud(response)}>
              <Volume2 />
            </IconButton>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
