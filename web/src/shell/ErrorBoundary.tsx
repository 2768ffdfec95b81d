import { Component, type ErrorInfo, type ReactNode } from 'react'
import { ChunkError, forgetFailedChunks } from '../lazyPage.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyRow } from '../ui/Mark.tsx'
import { toast } from '../ui/toast.tsx'
import { ChunkFailed } from './ChunkFailed.tsx'

type Props = { children: ReactNode; resetKey?: string }

/** The last net: says what happened and offers a reload. Code that did not come is fetched again by itself. */
export class ErrorBoundary extends Component<Props, { error?: Error }> {
  state: { error?: Error } = {}
  static getDerivedStateFromError(error: Error) {
    return { error }
  }
  componentDidCatch(error: Error, info: ErrorInfo) {
    if (!(error instanceof ChunkError)) console.error(error, info.componentStack)
  }
  componentDidUpdate(before: Props) {
    if (this.state.error && before.resetKey !== this.props.resetKey) this.retry()
  }
  retry = () => {
    forgetFailedChunks()
    this.setState({ error: undefined })
  }
  render() {
    const { error } = this.state
    if (!error) return this.props.children
    // Within the shell, whose main part is around it already.
    const Frame = this.props.resetKey === undefined ? 'main' : 'section'
    if (error instanceof ChunkError) return <ChunkFailed retry={this.retry} as={Frame} />
    return (
      <Frame className="mx-auto flex min-h-[60dvh] max-w-md flex-col items-start justify-center gap-4 p-6">
        <EmptyRow />
        <h1 className="text-20 font-semibold">This page stopped working</h1>
        <p className="text-muted">
          Something in the app failed, not in your data: what you saved is safe. Reloading usually brings the page back.
        </p>
        <Button variant="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Frame>
    )
  }
}

/** Around what is opened beside a page: when its code does not come, the page and what is typed there stay. */
export class BesideBoundary extends Component<{ children: ReactNode; onFail: () => void }, { failed: boolean }> {
  state = { failed: false }
  static getDerivedStateFromError() {
    return { failed: true }
  }
  componentDidCatch(error: Error, info: ErrorInfo) {
    if (!(error instanceof ChunkError)) console.error(error, info.componentStack)
    forgetFailedChunks()
    this.props.onFail()
    this.setState({ failed: false })
    toast.error(
      'This could not be opened',
      navigator.onLine ? 'Try again, or reload the page.' : 'You are offline. Try again when the connection is back.',
    )
  }
  render() {
    return this.state.failed ? null : this.props.children
  }
}
