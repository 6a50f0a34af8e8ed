plugins {
    id("com.android.application")
    id("org.jetbrains.kotlin.android")
}

android {
    namespace = "org.tvmq.sample"
    compileSdk = 35
    defaultConfig {
        applicationId = "org.tvmq.sample"
        minSdk = 26
        targetSdk = 35
        ndk { abiFilters += listOf("arm64-v8a", "x86_64") }
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }
    kotlinOptions { jvmTarget = "17" }
    androidResources { noCompress += "tflite" }
}

dependencies {
    // `python tools/release android --out dist` makes it; copy it here.
    implementation(fileTree("libs") { include("tvmq-delegate-*.aar") })
    implementation("org.tensorflow:tensorflow-lite:2.16.1")
}
