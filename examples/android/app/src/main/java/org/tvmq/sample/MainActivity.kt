package org.tvmq.sample

import android.app.Activity
import android.os.Bundle
import android.widget.TextView
import java.io.FileInputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.MappedByteBuffer
import java.nio.channels.FileChannel
import kotlin.concurrent.thread
import org.tensorflow.lite.Interpreter
import org.tvmq.delegate.TvmqDelegate

/** Runs assets/model.tflite with the delegate and without, and shows what it took, how long each needs, and how many bytes of the first output differ. */
class MainActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        val text = TextView(this)
        text.text = "..."
        setContentView(text)
        thread {
            val said = runCatching { compare(load("model.tflite")) }.getOrElse { it.toString() }
            runOnUiThread { text.text = said }
        }
    }

    private fun load(name: String): MappedByteBuffer =
        assets.openFd(name).use { file ->
            FileInputStream(file.fileDescriptor).channel.map(FileChannel.MapMode.READ_ONLY, file.startOffset, file.declaredLength)
        }

    private fun compare(model: MappedByteBuffer): String {
        val stock = Interpreter(model, Interpreter.Options().setNumThreads(2)).use { run(it) }
        TvmqDelegate.Builder().set("num_threads", 2).build().use { delegate ->
            Interpreter(model, Interpreter.Options().addDelegate(delegate)).use { interpreter ->
                val ours = run(interpreter)
                val different = ours.output.indices.count { ours.output[it] != stock.output[it] }
                return "tvmq-delegate ${TvmqDelegate.version()}: ${delegate.claimedNodes()} nodes\n" +
                    "${ours.milliseconds} ms, stock ${stock.milliseconds} ms; $different of ${ours.output.size} bytes differ from stock"
            }
        }
    }

    private class Outcome(val output: ByteArray, val milliseconds: Double)

    private fun run(interpreter: Interpreter): Outcome {
        val input = ByteBuffer.allocateDirect(interpreter.getInputTensor(0).numBytes()).order(ByteOrder.nativeOrder())
        while (input.hasRemaining()) input.put((input.position() * 31).toByte())
        val output = ByteBuffer.allocateDirect(interpreter.getOutputTensor(0).numBytes()).order(ByteOrder.nativeOrder())
        var best = Double.MAX_VALUE
        repeat(20) {
            input.rewind()
            output.rewind()
            val start = System.nanoTime()
            interpreter.run(input, output)
            best = minOf(best, (System.nanoTime() - start) / 1e6)
        }
        val bytes = ByteArray(output.capacity())
        output.rewind()
        output.get(bytes)
        return Outcome(bytes, best)
    }
}
